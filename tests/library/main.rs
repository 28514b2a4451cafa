//! Tests of the library. They are one binary, because each binary links the library and its dependencies again.

#[path = "../support/mod.rs"]
mod support;

mod account;
mod agreement;
mod api;
mod architecture;
#[cfg(feature = "archive")]
mod archive;
#[cfg(feature = "archive")]
mod archive_damage;
#[cfg(feature = "archive")]
mod archive_limits;
#[cfg(feature = "tokio")]
mod async_reader;
mod cases;
mod charsets;
mod corpora;
#[cfg(feature = "tokio")]
mod decoder;
#[cfg(feature = "tokio")]
mod examples;
mod finishing;
mod fuzz_replay;
#[cfg(feature = "index")]
mod index;
mod info_date_ranges;
mod info_dates;
mod info_players;
mod info_result;
mod info_result_words;
mod info_survey;
mod info_terms;
mod info_time;
mod info_times_of_day;
mod limits;
#[cfg(feature = "listen")]
mod listen;
#[cfg(feature = "listen")]
mod listen_operation;
mod merge;
mod parallel;
mod path;
mod properties;
mod recoded;
mod record;
mod recovery;
mod repairs;
mod resync;
mod seeds;
mod settings;
mod skipping;
mod survey;
mod upgrade;
mod value_ends;
mod values;
