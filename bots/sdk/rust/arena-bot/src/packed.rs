//! The packed layouts; the repository's rules.proto documents them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::question::{Event, Range};
use crate::wire;

/// What a seat may see: values by the field names of the rules; -1 is hidden or none.
#[derive(Clone)]
pub struct View {
    layout: Arc<Layout>,
    words: Vec<i32>,
}

impl View {
    /// A field's values, in the order of what indexes them; None for a name that this game has not.
    pub fn get(&self, field: &str) -> Option<&[i32]> {
        let &(first, length) = self.layout.fields.get(field)?;
        Some(&self.words[first..first + length])
    }

    /// The same, where the game is known to have the field; panics where it has not.
    pub fn values(&self, field: &str) -> &[i32] {
        self.get(field)
            .unwrap_or_else(|| panic!("no field {field:?} in this game; it has: {}", self.layout.names))
    }

    /// A field's only, or first, value; panics for a name that this game has not.
    pub fn value(&self, field: &str) -> i32 {
        self.values(field)[0]
    }
}

/// Where each field lies in a packed view.
pub struct Layout {
    version: u32,
    fields: HashMap<String, (usize, usize)>,
    names: String,
    words: usize,
}

impl Layout {
    pub fn new(rules: &wire::Rules) -> Self {
        let mut words = 1;
        let mut fields = HashMap::new();
        for field in &rules.fields {
            fields.insert(field.name.clone(), (words, field.length as usize));
            words += field.length as usize;
        }
        let names: Vec<&str> = rules.fields.iter().map(|field| field.name.as_str()).collect();
        Self { version: rules.layout_version, fields, names: names.join(", "), words }
    }

    pub fn view(self: &Arc<Self>, packed: &[u8]) -> Result<View, String> {
        let words = words(packed)?;
        if words.len() != self.words || words[0] as u32 != self.version {
            return Err(format!(
                "view: {} words, not {} of layout {}",
                words.len(),
                self.words,
                self.version
            ));
        }
        Ok(View { layout: self.clone(), words })
    }
}

pub fn legal(packed: &[u8]) -> Result<Vec<Range>, String> {
    let words = words(packed)?;
    if words.is_empty() || words.len() % 3 != 0 {
        return Err(format!("legal ranges: {} bytes are no ranges of 12", packed.len()));
    }
    let range = |(index, word): (usize, &[i32])| {
        let [kind, a, b, c] = word[0].to_le_bytes();
        Range { index, kind, a, b, c, lo: word[1], hi: word[2] }
    };
    Ok(words.chunks_exact(3).enumerate().map(range).collect())
}

pub fn events(packed: &[u8]) -> Result<Vec<Event>, String> {
    let words = words(packed)?;
    let mut rest = words.as_slice();
    let mut events = Vec::new();
    while let [word, n, seat, dice, behind @ ..] = rest {
        let Some((dice, next)) = usize::try_from(*dice).ok().and_then(|dice| behind.split_at_checked(dice))
        else {
            break;
        };
        let [kind, a, b, c] = word.to_le_bytes();
        events.push(Event { kind, seat: *seat, a, b, c, n: *n, dice: dice.to_vec() });
        rest = next;
    }
    if rest.is_empty() { Ok(events) } else { Err(format!("events: cut short after {}", events.len())) }
}

fn words(packed: &[u8]) -> Result<Vec<i32>, String> {
    if packed.len() % 4 != 0 {
        return Err(format!("{} bytes are no whole words", packed.len()));
    }
    let word = |bytes: &[u8]| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Ok(packed.chunks_exact(4).map(word).collect())
}
