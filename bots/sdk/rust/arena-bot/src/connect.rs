//! The way to the server.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::{Error, Info};

/// How long a server may take to answer at its address.
pub const WITHIN: Duration = Duration::from_secs(10);

/// How often a silent server is asked whether it is still there.
const ALIVE_EVERY: Duration = Duration::from_secs(20);
const RETRY: Duration = Duration::from_millis(100);

/// Where the bot's server is; the error says which setting is wrong.
pub fn endpoint(info: &Info) -> Result<Endpoint, Error> {
    if info.address.is_empty() {
        return Err(Error("no server address: set ARENA_ADDRESS to host:port or unix:/path".into()));
    }
    let encrypted = !info.ca.is_empty() && !info.address.starts_with("unix:");
    let scheme = if encrypted { "https" } else { "http" };
    let uri = match info.address.strip_prefix("unix:") {
        Some(path) => format!("unix://{}", path.trim_start_matches("//")),
        None => format!("{scheme}://{}", info.address),
    };
    let wrong = |error| {
        Error(format!("ARENA_ADDRESS: {} is neither host:port nor unix:/path: {error}", info.address))
    };
    let endpoint = Endpoint::from_shared(uri).map_err(wrong)?;
    let endpoint = endpoint.http2_keep_alive_interval(ALIVE_EVERY).keep_alive_timeout(ALIVE_EVERY / 2);
    if !encrypted {
        return Ok(endpoint);
    }
    let unusable =
        |why: String| Error(format!("ARENA_CA: no certificate can be read from {}: {why}", info.ca));
    let pem = std::fs::read(&info.ca).map_err(|error| unusable(error.to_string()))?;
    let trust = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
    endpoint.tls_config(trust).map_err(|error| unusable(error.to_string()))
}

/// Connects once a server is there, which may take so long; else the last thing that went wrong.
pub async fn reach(endpoint: &Endpoint, patience: Duration) -> Result<Channel, String> {
    let deadline = Instant::now() + patience;
    let mut last = "no answer".to_string();
    loop {
        match timeout_at(deadline, endpoint.connect()).await {
            Ok(Ok(channel)) => return Ok(channel),
            Ok(Err(error)) => last = causes(&error),
            Err(_) => return Err(last),
        }
        if Instant::now() + RETRY >= deadline {
            return Err(last);
        }
        sleep(RETRY).await;
    }
}

fn causes(error: &dyn std::error::Error) -> String {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        texts.push(cause.to_string());
        source = cause.source();
    }
    texts.dedup(); // wrappers often say the same
    texts.join(": ")
}
