//! How the command describes itself to other programs: completions for shells, pages for `man`.
//!
//! Owns how the help of the command line becomes pages. What it says is in `args`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::help::HEADINGS;
use crate::input::shown;
use crate::session::Outcome;
use crate::terminal::stderr::{self, reason};

/// Prints the script with which a shell completes command lines.
pub(crate) fn completions(mut command: Command, shell: Shell) -> io::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "sgf", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Fine)
}

/// Writes a page for the command and one for each of its subcommands, or prints them all.
pub(crate) fn man(command: Command, dir: Option<&Path>) -> io::Result<Outcome> {
    // `help` prints what the pages say.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let pages = std::iter::once(&command).chain(command.get_subcommands());
    let Some(dir) = dir else {
        let mut out = io::stdout().lock();
        for page in pages {
            out.write_all(&rendered(page)?)?;
        }
        return Ok(Outcome::Fine);
    };
    let written = fs::create_dir_all(dir).map_err(|error| (dir.to_path_buf(), error)).and_then(|()| {
        for page in pages {
            let path = dir.join(Man::new(page.clone()).get_filename());
            rendered(page).and_then(|page| fs::write(&path, page)).map_err(|error| (path, error))?;
        }
        Ok(())
    });
    Ok(match written {
        Ok(()) => Outcome::Fine,
        Err((path, error)) => {
            stderr::line(&format!("{}: {}", shown(&path), reason(&error)));
            Outcome::Failed
        }
    })
}

fn rendered(command: &Command) -> io::Result<Vec<u8>> {
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let has_subcommands = command.has_subcommands();
    let man = Man::new(command.clone()).source(concat!("sgf ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    for (title, lines) in sections(&after) {
        write_section(title, &lines, &mut page)?;
    }
    Ok(page)
}

/// The headings in the text after the options, and the lines under each.
fn sections(text: &str) -> Vec<(&'static str, Vec<&str>)> {
    let mut sections = vec![("DETAILS", Vec::new())];
    for line in text.lines() {
        let heading = HEADINGS.into_iter().find_map(|(heading, title)| Some((title, line.strip_prefix(heading)?)));
        if let Some((title, rest)) = heading {
            sections.push((title, Vec::new()));
            // What is short stands beside its heading.
            if rest.is_empty() {
                continue;
            }
        }
        if let Some((_, lines)) = sections.last_mut() {
            lines.push(heading.map_or(line, |(_, rest)| rest.trim()));
        }
    }
    sections.retain(|(_, lines)| lines.iter().any(|line| !line.is_empty()));
    sections
}

/// Writes a section line by line, because columns must not be filled as prose.
fn write_section(title: &str, lines: &[&str], page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH \"{title}\"\n.nf")?;
    for line in lines {
        // A line that begins with one of these would be a request.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        writeln!(page, "{guard}{}", line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq"))?;
    }
    writeln!(page, ".fi")
}
