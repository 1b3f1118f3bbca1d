//! The way to the server.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::{Error, Info};

/// How long a server may take to answer at its address.
pub const WITHIN: Duration = Duration::from_secs(10);

/// How often a silent server is asked whether it is still there.
const ALIVE_EVERY: Duration = Duration::from_secs(20);
/// A server that has not answered so soon is looked at more closely: some mistakes no waiting mends.
const LOOK_AFTER: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(100);

/// Where the bot's server is; the error says which setting is wrong.
pub fn endpoint(info: &Info) -> Result<Endpoint, Error> {
    if info.address.is_empty() {
        return Err(Error("no server address: set ARENA_ADDRESS to host:port or unix:/path".into()));
    }
    if !encrypted(info) {
        return plain_or_encrypted(info, "http");
    }
    let unusable = |why: &str| {
        Error(format!(
            "ARENA_CA: no certificate can be read from {} ({why}): name the server's ca.pem",
            info.ca
        ))
    };
    let pem = std::fs::read_to_string(&info.ca).map_err(|error| unusable(&error.to_string()))?;
    if !pem.contains("-----BEGIN CERTIFICATE-----") {
        return Err(unusable("it is no PEM file"));
    }
    let trust = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
    let endpoint = plain_or_encrypted(info, "https")?;
    endpoint.tls_config(trust).map_err(|error| unusable(&causes(&error)))
}

/// Over TCP, with a certificate to trust.
fn encrypted(info: &Info) -> bool {
    !info.ca.is_empty() && !info.address.starts_with("unix:")
}

fn plain_or_encrypted(info: &Info, scheme: &str) -> Result<Endpoint, Error> {
    let wrong = || Error(format!("ARENA_ADDRESS: {} is neither host:port nor unix:/path", info.address));
    let uri = if let Some(path) = info.address.strip_prefix("unix:") {
        format!("unix://{}", path.trim_start_matches("//"))
    } else {
        let (host, port) = info.address.rsplit_once(':').ok_or_else(wrong)?;
        if host.is_empty() || !port.parse::<u16>().is_ok_and(|port| port > 0) {
            return Err(wrong());
        }
        format!("{scheme}://{}", info.address)
    };
    let endpoint = Endpoint::from_shared(uri).map_err(|_| wrong())?;
    Ok(endpoint.http2_keep_alive_interval(ALIVE_EVERY).keep_alive_timeout(ALIVE_EVERY / 2))
}

/// Connects to a server for the first time, which may take so long; the error says what is wrong and what to set.
pub async fn connect(info: &Info, endpoint: &Endpoint, patience: Duration) -> Result<Channel, Error> {
    let mut reached = reach(endpoint, patience.min(LOOK_AFTER)).await;
    if reached.is_err() {
        look_for_trouble_with_tls(info).await?;
    }
    if reached.is_err() && patience > LOOK_AFTER {
        reached = reach(endpoint, patience - LOOK_AFTER).await;
    }
    reached.map_err(|why| {
        let address = &info.address;
        Error(format!(
            "no server answers at {address} within {patience:?}: is it running, and is ARENA_ADDRESS right? \
             ({why})"
        ))
    })
}

/// The error is what no waiting mends; there is none where the server may just not be there yet.
pub async fn look_for_trouble_with_tls(info: &Info) -> Result<(), Error> {
    if info.address.starts_with("unix:") {
        return Ok(());
    }
    let endpoint = if info.ca.is_empty() {
        // Trusts nobody: what it says of the certificate shows that there is one.
        plain_or_encrypted(info, "https")?.tls_config(ClientTlsConfig::new())
    } else {
        Ok(endpoint(info)?)
    };
    let Ok(Err(error)) = timeout(LOOK, async { endpoint?.connect().await }).await else { return Ok(()) };
    let (why, Info { address, ca, .. }) = (causes(&error), info);
    Err(Error(match why.split_once("invalid peer certificate: ") {
        Some(_) if ca.is_empty() => {
            format!("the server at {address} speaks TLS: set ARENA_CA to the path of its ca.pem")
        }
        Some((_, reason)) => format!(
            "the server at {address} has a certificate that ARENA_CA ({ca}) does not vouch for ({reason}): \
             set it to the path of the server's ca.pem"
        ),
        None if !ca.is_empty() && why.contains("InvalidContentType") => {
            format!("the server at {address} does not speak TLS: unset ARENA_CA")
        }
        None => return Ok(()),
    }))
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
