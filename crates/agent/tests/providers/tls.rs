//! TLS stays verified: a certificate that nobody vouches for ends it, at once and with a word on why.

use std::{
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_agent::provider::{ConnectOptions, ErrorClass, ModelName, connect};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio_util::sync::CancellationToken;

use crate::mock::{Mock, ask};

/// Made for these tests alone: nobody trusts it, which is the point.
const CERTIFICATE: &[u8] = include_bytes!("data/untrusted-certificate.der");
const CERTIFICATE_KEY: &[u8] = include_bytes!("data/untrusted-certificate-key.der");

/// Says hello to everyone who accepts its certificate.
fn serve(listener: &TcpListener, accepted: &AtomicUsize, shaken: &AtomicUsize) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(CERTIFICATE)],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(CERTIFICATE_KEY)),
        )
        .unwrap();
    let config = Arc::new(config);
    for stream in listener.incoming() {
        let stream: TcpStream = stream.unwrap();
        accepted.fetch_add(1, Ordering::SeqCst);
        let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        while stream.conn.is_handshaking() {
            if stream.conn.complete_io(&mut stream.sock).is_err() {
                break;
            }
        }
        if !stream.conn.is_handshaking() {
            shaken.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (accepted, shaken) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn({
        let (accepted, shaken) = (accepted.clone(), shaken.clone());
        move || serve(&listener, &accepted, &shaken)
    });
    let none = Mock::start(vec![]).await;
    let options = ConnectOptions { base_url: Some(format!("https://{address}")), ..none.options() };
    let provider = match connect(&ModelName::parse("custom/x").unwrap(), &options) {
        Ok(provider) => provider,
        Err(error) => {
            assert!(error.to_string().contains("ca-certificates"), "{error}");
            return deskhand_testkit::skip("there are no ca-certificates");
        }
    };
    let error = ask(&*provider, &CancellationToken::new()).await.reply.unwrap_err();
    assert_eq!(error.class, ErrorClass::BadRequest, "{error}");
    assert!(error.to_string().contains("Its certificate is not trusted"), "{error}");
    assert_eq!(accepted.load(Ordering::SeqCst), 1, "it would be refused again");
    assert_eq!(shaken.load(Ordering::SeqCst), 0, "nothing was said to it");
}
