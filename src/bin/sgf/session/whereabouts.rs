//! Where every byte went, for `sgf scan --account`.
//!
//! Owns the part of a parser that reading an input needs, so that a parser that keeps account of the bytes can take its
//! place; and the account of all inputs. How it is shown is for the command.

use std::io;

use sgf_stream::{AccountingParser, ByteAccount, Config, Error, Parser, Visitor};

use crate::session::Flow;

/// The parser that reads the bytes of an input.
pub(crate) trait Machine {
    fn feed(&mut self, bytes: &[u8], sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed;

    fn finish(&mut self, sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed;

    /// How far it has read.
    fn offset(&self) -> u64;

    /// The first byte that may belong to a game that has not begun.
    fn candidate(&self) -> u64;

    /// The next input begins.
    fn reset(&mut self);

    /// The input of that name, or as much of it as could be read, has ended.
    fn end(&mut self, _name: &str) {}
}

/// An error is one of strict reading.
type Fed = Result<Flow, Error>;

impl Machine for Parser {
    fn feed(&mut self, bytes: &[u8], sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed {
        self.feed(bytes, sink)
    }

    fn finish(&mut self, sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed {
        self.finish(sink)
    }

    fn offset(&self) -> u64 {
        self.offset()
    }

    fn candidate(&self) -> u64 {
        self.candidate()
    }

    fn reset(&mut self) {
        self.reset();
    }
}

/// Keeps account of the bytes of all inputs.
pub(crate) struct Accounting {
    parser: AccountingParser,
    whereabouts: Whereabouts,
}

/// The account of all inputs, and the first input with a lost byte, with that byte's offset.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    pub(crate) account: ByteAccount,
    pub(crate) first_lost: Option<(String, u64)>,
}

impl Accounting {
    pub(crate) fn new(config: Config) -> Self {
        Self { parser: AccountingParser::with_config(config), whereabouts: Whereabouts::default() }
    }

    pub(crate) fn whereabouts(self) -> Whereabouts {
        self.whereabouts
    }
}

impl Machine for Accounting {
    fn feed(&mut self, bytes: &[u8], sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed {
        self.parser.feed(bytes, sink)
    }

    fn finish(&mut self, sink: &mut impl Visitor<Break = io::Result<()>>) -> Fed {
        self.parser.finish(sink)
    }

    fn offset(&self) -> u64 {
        self.parser.position().offset
    }

    /// Any byte will do: with an account of the bytes, no games are kept.
    fn candidate(&self) -> u64 {
        0
    }

    fn reset(&mut self) {
        self.parser.reset();
    }

    fn end(&mut self, name: &str) {
        let account = self.parser.account();
        let Whereabouts { account: total, first_lost } = &mut self.whereabouts;
        if let Some(offset) = account.first_lost
            && first_lost.is_none()
        {
            *first_lost = Some((name.to_owned(), offset));
        }
        *total += &account;
    }
}
