//! The second port: the state of the service.
//!
//! Owns the two pages, `/metrics` and `/health`, and the guarantee that their readers can neither hold up nor burden the service.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::listen::{Health, Metrics};

/// The most connections at a time. The oldest makes room: a request takes no time, so the oldest is one that requests
/// nothing. If the new one waited instead, a few connections without requests could keep everybody from the pages.
const CONNECTIONS: usize = 32;

/// How long a connection may last. A scraper connects again.
const TIME: Duration = Duration::from_secs(30);

/// How long a request may take to come.
const REQUEST: Duration = Duration::from_secs(5);

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers HTTP requests for `/metrics`, as OpenMetrics for Prometheus, and for `/health`, with 200 while games are stored
/// and 503 otherwise, until the future is dropped.
///
/// A connection that cannot be accepted is tried again. It asks for no token, so bind it where only those can reach it who may
/// know.
///
/// # Panics
///
/// Outside of a tokio runtime with IO and time.
pub async fn monitor(listener: TcpListener, metrics: Arc<Metrics>) -> Infallible {
    // They end with this future.
    let mut connections = JoinSet::new();
    let mut open = VecDeque::<AbortHandle>::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "no request could be accepted");
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        open.retain(|connection| !connection.is_finished());
        if open.len() == CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let metrics = Arc::clone(&metrics);
        let connection = connections.spawn(async move {
            let service = service_fn(|request| answer(&request, &metrics));
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(REQUEST);
            // An error here concerns only the client.
            let _ = timeout(TIME, server.serve_connection(TokioIo::new(stream), service)).await;
        });
        open.push_back(connection);
    }
}

fn answer(
    request: &Request<Incoming>,
    metrics: &Metrics,
) -> impl Future<Output = Result<Response<Full<Bytes>>, Infallible>> + use<> {
    let page = |status, kind, text: String| {
        let mut response = Response::new(Full::from(text));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        response
    };
    let plain = "text/plain; charset=utf-8";
    let response = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => page(StatusCode::OK, OPEN_METRICS, metrics.text()),
        (&Method::GET | &Method::HEAD, "/health") => {
            let health = metrics.health();
            let status = if health == Health::Fine { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            page(status, "application/json", format!("{{\"status\":\"{health}\"}}\n"))
        }
        (&Method::GET | &Method::HEAD, _) => page(StatusCode::NOT_FOUND, plain, "/metrics or /health\n".into()),
        _ => page(StatusCode::METHOD_NOT_ALLOWED, plain, "GET or HEAD\n".into()),
    };
    ready(Ok(response))
}
