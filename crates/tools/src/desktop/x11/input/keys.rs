//! Typing. A key of X has a number, and a table says what each number means; what no key means is lent a spare one for
//! the time it is typed.

use std::{collections::HashMap, thread::sleep, time::Duration};

use deskhand_core::ToolError;
use x11rb::{
    connection::Connection,
    protocol::xproto::{self, ConnectionExt, Keycode, Keysym},
};

use super::super::{X, trouble::Xr};
use crate::desktop::{
    backend::Wait,
    hands::{Key, Typing},
};

/// Programs learn of a changed table a little later than the server.
const UNTIL_KNOWN: Duration = Duration::from_millis(120);
/// Between two keys.
const BETWEEN: Duration = Duration::from_millis(4);
const NOTHING: Keysym = 0;
const SHIFT: Keysym = 0xFFE1;
const CAPS_LOCK: Keysym = 0xFFE5;

/// What each key means: alone, and with Shift.
struct Table {
    first: Keycode,
    per_key: usize,
    symbols: Vec<Keysym>,
}

impl Table {
    fn read(x: &X) -> Xr<Self> {
        let setup = x.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let reply = x.connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        Ok(Self { first, per_key: usize::from(reply.keysyms_per_keycode).max(1), symbols: reply.keysyms })
    }

    fn keys(&self) -> impl Iterator<Item = (Keycode, &[Keysym])> {
        (self.first..=u8::MAX).zip(self.symbols.chunks_exact(self.per_key))
    }

    /// The key for a symbol, and whether Shift goes with it.
    fn find(&self, symbol: Keysym) -> Option<(Keycode, bool)> {
        let at = |level: usize| self.keys().find(|(_, symbols)| symbols.get(level) == Some(&symbol));
        let alone = at(0).map(|(code, _)| (code, false));
        alone.or_else(|| at(1).map(|(code, _)| (code, true)))
    }

    /// Keys that mean nothing.
    fn spare(&self) -> Vec<Keycode> {
        self.keys()
            .filter(|(_, symbols)| symbols.iter().all(|s| *s == NOTHING))
            .map(|(code, _)| code)
            .collect()
    }
}

impl X {
    pub fn keyboard(&self, typing: &Typing, wait: &Wait) -> Xr<()> {
        self.can_press()?;
        let hand = Hand { x: self, table: Table::read(self)?, wait };
        match typing {
            Typing::Text(text) => hand.without_caps_lock(|| hand.text(text)),
            Typing::Chord(keys) => hand.chord(keys),
        }
    }
}

impl X {
    fn set_key(&self, code: Keycode, symbol: Keysym) -> Xr<()> {
        let symbols = [symbol, symbol];
        self.connection.change_keyboard_mapping(1, code, 2, &symbols)?.check()?;
        Ok(())
    }

    /// Whatever came of it before.
    fn lock_capitals(&self, key: Keycode) -> Xr<()> {
        if !self.has_caps_lock()? {
            self.press(xproto::KEY_PRESS_EVENT, key, 0, 0)?;
            self.press(xproto::KEY_RELEASE_EVENT, key, 0, 0)?;
        }
        Ok(())
    }
}

struct Hand<'a> {
    x: &'a X,
    table: Table,
    wait: &'a Wait,
}

impl Hand<'_> {
    /// Types all of it, lending spare keys to what has none, as many at a time as there are.
    fn text(&self, text: &str) -> Xr<()> {
        let symbols: Vec<Keysym> = text.chars().map(symbol).collect();
        let spare = self.table.spare();
        let mut at = 0;
        while at < symbols.len() {
            let (end, lent) = self.lend(&symbols[at..], &spare)?;
            let typed = symbols[at..at + end].iter().try_for_each(|symbol| self.tap(*symbol, &lent));
            let taken_back = self.take_back(&lent);
            typed.and(taken_back)?;
            at += end;
        }
        Ok(())
    }

    /// Lends keys for as much of the beginning as they are enough for. Says how much that is.
    fn lend(&self, symbols: &[Keysym], spare: &[Keycode]) -> Xr<(usize, HashMap<Keysym, Keycode>)> {
        let mut lent = HashMap::new();
        let mut end = 0;
        for symbol in symbols {
            if self.table.find(*symbol).is_none() && !lent.contains_key(symbol) {
                let Some(code) = spare.get(lent.len()) else { break };
                lent.insert(*symbol, *code);
            }
            end += 1;
        }
        if end == 0 {
            let message = "The keyboard of the display has no key left for a character.";
            return Err(ToolError::new("no_key_left", message)
                .hint("Paste it by clipboard_write and ctrl+v.")
                .into());
        }
        if let Err(trouble) = lent.iter().try_for_each(|(symbol, code)| self.x.set_key(*code, *symbol)) {
            // Whatever this says, the first trouble is the one to tell.
            let _ = self.take_back(&lent);
            return Err(trouble);
        }
        if !lent.is_empty() {
            sleep(UNTIL_KNOWN);
        }
        Ok((end, lent))
    }

    fn take_back(&self, lent: &HashMap<Keysym, Keycode>) -> Xr<()> {
        if lent.is_empty() {
            return Ok(());
        }
        // What was typed is looked up in the table when a program gets to it.
        sleep(UNTIL_KNOWN);
        let clear = |x: &X| lent.values().try_for_each(|code| x.set_key(*code, NOTHING));
        clear(self.x).or_else(|_| self.x.put_right(clear))
    }

    fn tap(&self, symbol: Keysym, lent: &HashMap<Keysym, Keycode>) -> Xr<()> {
        self.wait.check()?;
        let known = self.table.find(symbol).or_else(|| lent.get(&symbol).map(|code| (*code, false)));
        let Some((code, with_shift)) = known else { return Ok(()) };
        let shift = self.table.find(SHIFT).filter(|_| with_shift).map(|(code, _)| code);
        self.down_and_up(&shift.into_iter().chain([code]).collect::<Vec<_>>())
    }

    /// Presses them in this order, and lets go in the other; also where something fails in between.
    fn down_and_up(&self, codes: &[Keycode]) -> Xr<()> {
        let up =
            |x: &X| codes.iter().rev().try_for_each(|code| x.press(xproto::KEY_RELEASE_EVENT, *code, 0, 0));
        let down = codes.iter().try_for_each(|code| self.x.press(xproto::KEY_PRESS_EVENT, *code, 0, 0));
        let done = down.and_then(|()| up(self.x));
        if done.is_err() {
            // To let go of a key that is not down does nothing.
            self.x.put_right(up)?;
        }
        sleep(BETWEEN);
        done
    }

    fn chord(&self, keys: &[Key]) -> Xr<()> {
        let symbols: Vec<Keysym> = keys
            .iter()
            .map(|key| match key {
                // A chord names the key, not the capital: Shift is said where it is meant.
                Key::Char(c) if keys.len() > 1 => symbol(c.to_lowercase().next().unwrap_or(*c)),
                Key::Char(c) => symbol(*c),
                Key::Named(name) => named(name),
            })
            .collect();
        let (end, lent) = self.lend(&symbols, &self.table.spare())?;
        let mut codes = Vec::new();
        for symbol in &symbols[..end] {
            let known = self.table.find(*symbol).or_else(|| lent.get(symbol).map(|code| (*code, false)));
            let Some((code, with_shift)) = known else { continue };
            codes.extend(self.table.find(SHIFT).filter(|_| with_shift).map(|(code, _)| code));
            codes.push(code);
        }
        let pressed = self.down_and_up(&codes);
        pressed.and(self.take_back(&lent))
    }

    /// With the lock of capitals on, every letter would come out the other way round.
    fn without_caps_lock(&self, work: impl FnOnce() -> Xr<()>) -> Xr<()> {
        let key = self.table.find(CAPS_LOCK).map(|(code, _)| code);
        let Some(key) = key.filter(|_| self.x.has_caps_lock().unwrap_or(false)) else { return work() };
        let done = self.down_and_up(&[key]).and_then(|()| work()).and_then(|()| self.down_and_up(&[key]));
        if done.is_err() {
            self.x.put_right(|x| x.lock_capitals(key))?;
        }
        done
    }
}

/// What a character is called: Latin-1 by itself, everything else by its number in Unicode.
fn symbol(c: char) -> Keysym {
    match c {
        '\n' | '\r' => named("Return"),
        '\t' => named("Tab"),
        ' '..='~' | '\u{a0}'..='ÿ' => u32::from(c),
        other => 0x0100_0000 | u32::from(other),
    }
}

fn named(name: &str) -> Keysym {
    match name {
        "Control_L" => 0xFFE3,
        "Alt_L" => 0xFFE9,
        "Shift_L" => SHIFT,
        "Super_L" => 0xFFEB,
        "ISO_Level3_Shift" => 0xFE03,
        "Return" => 0xFF0D,
        "Tab" => 0xFF09,
        "Escape" => 0xFF1B,
        "BackSpace" => 0xFF08,
        "Delete" => 0xFFFF,
        "Insert" => 0xFF63,
        "space" => 0x20,
        "Home" => 0xFF50,
        "Left" => 0xFF51,
        "Up" => 0xFF52,
        "Right" => 0xFF53,
        "Down" => 0xFF54,
        "Prior" => 0xFF55,
        "Next" => 0xFF56,
        "End" => 0xFF57,
        "Menu" => 0xFF67,
        "Print" => 0xFF61,
        "Pause" => 0xFF13,
        "Caps_Lock" => CAPS_LOCK,
        "plus" => 0x2B,
        function => {
            let number: u32 = function.trim_start_matches('F').parse().unwrap_or(1);
            0xFFBD + number
        }
    }
}
