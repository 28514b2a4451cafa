//! A service that takes games from sockets and says of each when it is safe.
//!
//! [`serve`] is the server, for the protocol below. [`GameId`] names a game. [`Store`] says what a store has to promise;
//! [`NdjsonFile`] is one, and with the feature `index` `SqliteFile` another. The server does not speak TLS, which a proxy in
//! front of it does better; [the guide](crate::guide::listen) shows one.
//!
//! ```no_run
//! use std::sync::Arc;
//! use sgf_stream::listen::{Metrics, NdjsonFile, Settings, serve};
//! use tokio::net::TcpListener;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let listener = TcpListener::bind("127.0.0.1:7070").await?;
//! let (store, _found) = NdjsonFile::open("games.ndjson")?;
//! let metrics = Arc::new(Metrics::new());
//! serve(listener, store, Settings::new(), metrics, std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # The protocol
//!
//! A client opens a TCP connection and sends SGF: any number of games, as files have them, for as long as it likes. If
//! the service has a token, the client sends that as its first line, and the SGF begins after it. For each game a line
//! of JSON comes back, in the order of the games:
//!
//! ```json
//! {"status":"accepted","id":"44bec11a0f2c2a84625ed30d055e929b","offset":0,"line":1,"column":1,"length":8,"new":true,"problems":0}
//! {"status":"refused","problem":"unexpected-eof","message":"end of input inside a value","offset":9,"line":2,"column":1,"length":7,"at":{"offset":12,"line":2,"column":4},"retry":true}
//! ```
//!
//! | key | in | says |
//! | --- | --- | --- |
//! | `status` | all | `accepted` or `refused`; there is no third |
//! | `offset`, `line`, `column` | all | where the bytes begin that the line is about: offsets count from 0 at the first byte of SGF, lines and columns from 1, columns in bytes |
//! | `length` | all | how many bytes these are |
//! | `id` | accepted | the [name](GameId) of the game: the first 32 digits of its SHA-256 |
//! | `new` | accepted | `false` if the game was stored before |
//! | `problems` | accepted | what is wrong in the game without being a reason to refuse it |
//! | `problem` | refused | the [name](crate::ProblemKind) of what is wrong, or one of those below |
//! | `message` | refused | the same for people |
//! | `at` | refused | where that is; it may be inside of the game |
//! | `retry` | refused | whether the same bytes may be accepted another time |
//!
//! New keys may come; none changes its meaning.
//!
//! **What `accepted` promises.** The game is in the store, and stays there even if the process dies or the power fails
//! now. A game that was not acknowledged may or may not be there. So a client keeps each game until it has read its
//! line, and sends games without a line again, on this connection or another. A game that comes again is acknowledged
//! with the same id, and stored once.
//!
//! **What is refused.**
//!
//! - A game whose end is missing when the connection ends (`unexpected-eof`, `unclosed-tree`), or when the next game begins
//!   (`unterminated-value`, `truncated-game`).
//! - A game over a [limit](crate::Limits) (`limit-game`, `limit-depth`, `limit-node`, `limit-values`, `value-too-long`).
//! - Bytes between games, other than white space (`junk`, `unmatched-close`); of more than 100 such places between two games,
//!   or whatever the limits say, only that there are more (`limit-problems`).
//!
//! Anything else that is wrong in a game is counted, however often it occurs, and the game is stored. After all of these
//! the connection goes on. After one of the following it is closed, and `offset` is where the bytes begin that were not
//! processed:
//!
//! | problem | means |
//! | --- | --- |
//! | `token` | the first line is not the token |
//! | `connections` | there are as many connections as [allowed](Settings::connections) |
//! | `idle` | no game came for [too long](Settings::idle), or no first line with a token within 10 seconds |
//! | `game-time` | a game took [too long](Settings::game_time) from its first byte to its last |
//! | `busy` | a game over 64 KiB came too slowly while others waited for the memory it took, or there was not enough for all |
//! | `stopping` | the service stops; what had come was stored and acknowledged before |
//!
//! All but `token` may be tried again, `connections` and `busy` after a while.
//!
//! `not-stored` is about one game: the store failed, the disk may be full. The connection goes on.
//!
//! **The end.** A client that has no more games closes its half of the connection and reads the rest of the lines. When
//! the service closes the other half, the client has received an answer for everything. Whoever waits for an answer and keeps
//! the connection open may wait as long as a game may take: in GBK, GB18030, Big5 and Shift_JIS, what comes next tells
//! whether the last byte of a text and the `]` behind it are one character.
//!
//! **Read while you send.** The service takes at most 256 games more than there are answers that the client has read,
//! or that the system holds for it. A client that sends for ever and never reads comes to a halt, and is closed after
//! the [idle](Settings::idle) time; one that never or hardly reads, 2 seconds after the service was asked to stop.
//!
//! # What is stored
//!
//! A row for each game, which is a JSON object. It has `id`; `received`, the time in UTC; `peer`, the address it came
//! from; `game`, its number on the connection, and `offset` and `length` in it; and all
//! [columns](crate::record::Column) of the table of games, including those that need more than the header. With
//! [`Settings::keep_games`] it also has the game itself, byte for byte, as `sgf` if it is UTF-8 without control characters
//! other than tabs and line ends, or else as `sgf_base64`. Without that, only what is known of the game is stored. A
//! `SqliteFile` has the same in the columns of a table.
//!
//! # What strangers can do
//!
//! Memory is bounded by [`Settings::memory`] whatever they send. A connection has a buffer for games up to 64 KiB. A
//! larger game asks for more memory before it is read further. Rows wait for the store in a queue of bounded length;
//! while that is full, nothing more is read from the sockets.
//!
//! A client that takes memory for a large game has to use it: if others wait for memory and it brings less than 32 KiB
//! in 2 seconds, it is closed (`busy`). If for 2 seconds no client with part of a game can be given enough for the
//! rest, those who came last give way to those who came first. So a thousand clients that begin large games and fall
//! silent hold up another client only for seconds. Nobody has to give way because the store is late.
//!
//! A client that trickles bytes keeps its connection for as long as [`Settings::idle`] and [`Settings::game_time`]
//! allow, and no longer, because only whole games restart the clocks. The same holds for one that sends without end and
//! without a game. The clocks stand still while the service does not read, or has games of the client to store. Clients
//! take turns: one that sends without end does not hold up one that sends a little. Games over 64 KiB are read on threads of
//! their own, one fewer than there are processors, so that a huge one does not hold up the rest either.
//!
//! # How it is
//!
//! `/health` of [`monitor()`] answers with [`Metrics::health`]: 200 with `{"status":"ok"}`, or 503 with one of these:
//!
//! - `failing` after a batch that could not be stored. On a full disk a small batch may fit where a large one does not,
//!   so this ends when as many bytes were stored as the failed batch had, or when anything is stored a minute or more
//!   after it.
//! - `stalled` while a batch takes longer than 3 seconds.
//! - `stopping`, also after the end.

// Owns the protocol, its server, the names of games and what a store has to promise. Refuses to know what becomes of the games
// afterwards.

mod answer;
mod answers;
mod budget;
mod commit;
mod connection;
mod game;
mod id;
mod metrics;
mod monitor;
mod ndjson;
mod readers;
mod server;
mod settings;
#[cfg(feature = "index")]
mod sqlite;
mod store;
mod throttle;
mod timeouts;
mod token;

pub use id::{GameId, GameIdError};
pub use metrics::{Health, Metrics};
pub use monitor::monitor;
pub use ndjson::{Found, NdjsonFile};
pub use server::{ServeError, serve};
pub use settings::{Settings, SettingsError};
#[cfg(feature = "index")]
pub use sqlite::SqliteFile;
pub use store::{Entry, Store, StoreError};
pub use token::{Token, TokenError};
