//! Tokens: who may come in. They are compared by their hashes, which tells nothing about how near a guess was.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use deskhand_core::arguments::sha256_hex;

/// The least that may be a token: what people make up is too short.
const SHORTEST: usize = 20;

/// A secret that lets somebody in. Not shown by `Debug`.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one, of 256 random bits.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// One that was kept. `None` if it is too short, or could not stand in an address.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        (text.len() >= SHORTEST && text.chars().all(plain)).then(|| Self(text.to_owned()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> String {
        hash_of(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

fn hash_of(token: &str) -> String {
    sha256_hex(token.as_bytes())
}

/// What a browser keeps in the place of the token: who reads a cookie cannot use it as a bearer token.
pub fn cookie_value(token_hash: &str) -> String {
    sha256_hex(format!("deskhand cookie {token_hash}").as_bytes())
}

/// Who there is: the owner of this installation, and the users they let in.
#[derive(Clone, Debug)]
pub struct Users {
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    /// `None`: the owner.
    name: Option<String>,
    token_hash: String,
    cookie_hash: String,
}

impl Known {
    fn new(name: Option<String>, token_hash: String) -> Self {
        let cookie_hash = hash_of(&cookie_value(&token_hash));
        Self { name, token_hash, cookie_hash }
    }
}

/// What somebody shows at the door.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    Token(&'a str),
    Cookie(&'a str),
}

impl Users {
    pub fn new(owner: &Token) -> Self {
        Self { known: vec![Known::new(None, owner.hash())] }
    }

    /// Lets a user in whose token has this SHA-256 (hex).
    #[must_use]
    pub fn with(mut self, name: &str, token_sha256: &str) -> Self {
        self.known.push(Known::new(Some(name.to_owned()), token_sha256.to_ascii_lowercase()));
        self
    }

    /// Whose this is: the name of a user, `None` within for the owner; `None` if it is nobody's.
    pub fn find(&self, shown: Shown<'_>) -> Option<&Option<String>> {
        let found = match shown {
            Shown::Token(token) => {
                let hash = hash_of(token);
                self.known.iter().find(|known| known.token_hash == hash)
            }
            Shown::Cookie(value) => {
                let hash = hash_of(value);
                self.known.iter().find(|known| known.cookie_hash == hash)
            }
        };
        found.map(|known| &known.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_found_by_their_own_secret_alone() {
        let (owner, bob) = (Token::random().unwrap(), Token::random().unwrap());
        let users = Users::new(&owner).with("bob", &bob.hash().to_uppercase());
        assert_eq!(users.find(Shown::Token(owner.reveal())), Some(&None));
        assert_eq!(users.find(Shown::Token(bob.reveal())), Some(&Some("bob".to_owned())));
        let cookie = cookie_value(&bob.hash());
        assert_eq!(users.find(Shown::Cookie(&cookie)), Some(&Some("bob".to_owned())));
        for wrong in ["", "x", &cookie, &bob.hash(), &bob.reveal()[1..]] {
            assert_eq!(users.find(Shown::Token(wrong)), None, "{wrong}");
        }
        for wrong in ["", bob.reveal(), &bob.hash()] {
            assert_eq!(users.find(Shown::Cookie(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn a_token_is_long_and_plain_and_not_shown() {
        let token = Token::random().unwrap();
        assert_eq!(token.reveal().len(), 43);
        assert_eq!(Token::parse(&format!("{}\n", token.reveal())).unwrap().hash(), token.hash());
        for bad in ["", "short", "twenty characters and blanks", "aaaaaaaaaaaaaaaaaaaaaaaaa\"b"] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
