//! Tokens: who may come in, and how far. They are compared by their hashes, which tells nothing about how near a guess
//! was.
//!
//! Everybody may have two: one that opens all that is theirs, and one for their MCP clients, which opens `/mcp` alone.
//! They are two secrets of their own, and neither tells anything about the other.

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

    /// A new one for MCP clients. It says so, for the person who pastes it; what it opens is not taken from that.
    pub fn random_for_mcp() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("mcp-{}", Self::random()?.0)))
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
    /// Of the token for MCP clients, where there is one.
    mcp_hash: Option<String>,
}

impl Known {
    fn new(name: Option<String>, token_hash: String) -> Self {
        let cookie_hash = hash_of(&cookie_value(&token_hash));
        Self { name, token_hash, cookie_hash, mcp_hash: None }
    }
}

/// What somebody shows at the door.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    Token(&'a str),
    Cookie(&'a str),
}

/// What a token opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    Everything,
    /// `/mcp`, for the programs of the same person.
    McpAlone,
}

/// Somebody who is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// `None`: the owner.
    pub user: Option<&'a str>,
    pub opens: Opens,
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

    /// Lets the MCP clients of somebody in, `None` being the owner, whose token has this SHA-256 (hex).
    #[must_use]
    pub fn with_mcp(mut self, name: Option<&str>, token_sha256: &str) -> Self {
        for known in self.known.iter_mut().filter(|known| known.name.as_deref() == name) {
            known.mcp_hash = Some(token_sha256.to_ascii_lowercase());
        }
        self
    }

    /// Whose this is, and what it opens; `None` if it is nobody's.
    pub fn find(&self, shown: Shown<'_>) -> Option<Found<'_>> {
        let (Shown::Token(text) | Shown::Cookie(text)) = shown;
        let hash = hash_of(text);
        self.known.iter().find_map(|known| {
            let opens = match shown {
                Shown::Token(_) if known.token_hash == hash => Opens::Everything,
                Shown::Cookie(_) if known.cookie_hash == hash => Opens::Everything,
                Shown::Token(_) if known.mcp_hash.as_ref() == Some(&hash) => Opens::McpAlone,
                _ => return None,
            };
            Some(Found { user: known.name.as_deref(), opens })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_found_by_their_own_secret_alone() {
        let (owner, bob) = (Token::random().unwrap(), Token::random().unwrap());
        let (for_mcp, bobs) = (Token::random_for_mcp().unwrap(), Token::random_for_mcp().unwrap());
        let users = Users::new(&owner).with("bob", &bob.hash().to_uppercase());
        let users = users.with_mcp(None, &for_mcp.hash()).with_mcp(Some("bob"), &bobs.hash().to_uppercase());
        let users = users.with_mcp(Some("nobody"), &sha256_hex(b"nobody"));
        let cookie = cookie_value(&bob.hash());
        for (shown, user, opens) in [
            (Shown::Token(owner.reveal()), None, Opens::Everything),
            (Shown::Token(bob.reveal()), Some("bob"), Opens::Everything),
            (Shown::Cookie(&cookie), Some("bob"), Opens::Everything),
            (Shown::Token(for_mcp.reveal()), None, Opens::McpAlone),
            (Shown::Token(bobs.reveal()), Some("bob"), Opens::McpAlone),
        ] {
            assert_eq!(users.find(shown), Some(Found { user, opens }), "{user:?} {opens:?}");
        }
        for wrong in ["", "x", "nobody", &cookie, &bob.hash(), &bob.reveal()[1..], &bobs.reveal()[4..]] {
            assert_eq!(users.find(Shown::Token(wrong)), None, "{wrong}");
        }
        for wrong in ["", bob.reveal(), &bob.hash(), bobs.reveal(), &cookie_value(&bobs.hash())] {
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
