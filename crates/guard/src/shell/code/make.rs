//! Makefiles: recipes and `$(shell …)`.

use std::collections::HashMap;

use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole};
use super::world::World;
use super::{Facts, Language};

/// What make would run if every target of this text were made.
pub(super) fn inspect(source: &str) -> Facts {
    let mut world = World::new(Language::Make, &EMPTY);
    let mut vars: HashMap<String, String> = HashMap::new();
    if source.contains(is_hole) || source.contains(".RECIPEPREFIX") || source.contains("define ") {
        world.odd();
    }
    let joined = source.replace("\\\n", " ");
    for line in joined.lines() {
        world.spend(line.len() / 8 + 1);
        if world.exhausted() {
            break;
        }
        if let Some(recipe) = line.strip_prefix('\t') {
            recipe_line(&mut world, &vars, recipe);
            continue;
        }
        let text = line.split('#').next().unwrap_or("").trim();
        if text.starts_with("include ")
            || text.starts_with("-include ")
            || text.starts_with("sinclude ")
            || text.starts_with("load ")
        {
            world.facts.executes = true;
            world.odd();
        }
        let expanded = expand(&mut world, &vars, text);
        assignment_or_rule(&mut world, &mut vars, text, &expanded);
    }
    world.finish()
}

fn recipe_line(world: &mut World, vars: &HashMap<String, String>, recipe: &str) {
    let command = expand(world, vars, recipe.trim());
    let command = command.trim_start_matches(['@', '-', '+', ' ']);
    if !command.is_empty() && !command.starts_with('#') {
        world.shell(&Value::Text(command.to_owned()));
    }
}

fn assignment_or_rule(world: &mut World, vars: &mut HashMap<String, String>, text: &str, expanded: &str) {
    let equals = text.find('=');
    let colon = text.find(':').filter(|&at| !text[at..].starts_with(":=") && !text[at..].starts_with("::="));
    match (equals, colon) {
        (Some(at), None) => set(world, vars, text, at),
        (Some(at), Some(colon)) if at < colon => set(world, vars, text, at),
        (_, Some(_)) => {
            if let Some((_, recipe)) = expanded.split_once(';') {
                let recipe = recipe.trim_start_matches(['@', '-', '+', ' ']);
                world.shell(&Value::Text(recipe.trim().to_owned()));
            }
        }
        _ => {}
    }
}

fn set(world: &mut World, vars: &mut HashMap<String, String>, text: &str, at: usize) {
    let name =
        text[..at].trim_end_matches([':', '?', '+', '!']).trim().trim_start_matches("export ").to_owned();
    let value = expand(world, vars, text[at + 1..].trim());
    if text[..at].ends_with('!') {
        world.shell(&Value::Text(value));
        vars.insert(name, HOLE.to_string());
        return;
    }
    if name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" {
        world.odd();
    }
    if value.len() < 4096 {
        let known = vars.get(&name).is_some_and(|old| *old != value);
        vars.insert(name, if known { HOLE.to_string() } else { value });
    }
}

/// Variables put in, `$$` made one, `$(shell …)` noted.
fn expand(world: &mut World, vars: &HashMap<String, String>, text: &str) -> String {
    expand_within(world, vars, text, 0)
}

fn expand_within(world: &mut World, vars: &HashMap<String, String>, text: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        out.push_str(&rest[..dollar]);
        rest = &rest[dollar + 1..];
        world.spend(1);
        let Some(next) = rest.chars().next() else { break };
        if next != '(' && next != '{' {
            if next == '$' {
                out.push('$');
            } else {
                out.push(HOLE);
            }
            rest = &rest[next.len_utf8()..];
            continue;
        }
        let Some(end) = partner(rest) else {
            world.odd();
            out.push(HOLE);
            break;
        };
        world.spend(end / 16);
        let inner = &rest[1..end];
        rest = &rest[end + 1..];
        if depth > 8 || world.exhausted() || out.len() > 65_536 {
            world.give_up();
            break;
        }
        out.push_str(&reference(world, vars, inner, depth));
    }
    out.push_str(rest);
    out
}

fn reference(world: &mut World, vars: &HashMap<String, String>, inner: &str, depth: usize) -> String {
    let (word, arguments) = inner.split_once([' ', '\t']).unwrap_or((inner, ""));
    match word {
        "shell" => {
            let command = expand_within(world, vars, arguments, depth + 1);
            world.shell(&Value::Text(command.trim().to_owned()));
        }
        "file" => {
            let target = arguments
                .trim_start_matches(['>', '<', ' '])
                .split(',')
                .next()
                .unwrap_or("")
                .trim()
                .to_owned();
            if arguments.trim_start().starts_with('<') {
                world.read(Some(&Value::Text(target)));
            } else {
                world.write(Some(&Value::Text(target)));
            }
        }
        "eval" | "call" | "guile" | "foreach" | "value" => {
            expand_within(world, vars, arguments, depth + 1);
            world.odd();
        }
        "info" | "warning" | "error" => {
            expand_within(world, vars, arguments, depth + 1);
            return String::new();
        }
        _ if arguments.is_empty() => {
            if let Some(value) = vars.get(inner) {
                return value.clone();
            }
        }
        _ => {
            expand_within(world, vars, arguments, depth + 1);
        }
    }
    HOLE.to_string()
}

fn partner(text: &str) -> Option<usize> {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('{', '}') };
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
