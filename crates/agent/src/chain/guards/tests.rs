use serde_json::json;

use super::*;

fn guards(options: ToolChainOptions) -> Guards {
    Guards::new(options, Language::English)
}

/// Makes the call and says how it was judged: fine, warn or stop.
fn call(guards: &mut Guards, name: &str, arguments: &Value, result: &str) -> &'static str {
    call_that(guards, name, arguments, result, Changed::Nothing)
}

fn call_that(
    guards: &mut Guards,
    name: &str,
    arguments: &Value,
    result: &str,
    changed: Changed,
) -> &'static str {
    let judged = match guards.before_call(name, arguments) {
        Repeat::Fine => "fine",
        Repeat::Warn { text } => {
            assert!(text.contains(name), "{text}");
            "warn"
        }
        Repeat::Stop(stop) => {
            assert_eq!((stop.guard, stop.about.as_str()), (Guard::RepeatedCall, name));
            return "stop";
        }
    };
    guards.after_call(name, arguments, result, changed);
    judged
}

#[test]
fn the_second_to_fourth_are_warned_and_the_fifth_stops() {
    let mut guards = guards(ToolChainOptions::default());
    let judged: Vec<_> =
        (0..6).map(|_| call(&mut guards, "grep", &json!({"pattern": "x", "path": "."}), "none")).collect();
    assert_eq!(judged, ["fine", "warn", "warn", "warn", "stop", "stop"]);
    assert_eq!(guards.calls(), 4);
}

#[test]
fn the_order_of_keys_does_not_make_another_call() {
    let mut guards = guards(ToolChainOptions::default());
    let one: Value = serde_json::from_str(r#"{"a":1,"b":2}"#).unwrap();
    let other: Value = serde_json::from_str(r#"{"b":2,"a":1}"#).unwrap();
    assert_eq!(call(&mut guards, "t", &one, "r"), "fine");
    assert_eq!(call(&mut guards, "t", &other, "r"), "warn");
    assert_eq!(call(&mut guards, "t", &json!({"a": 1, "b": 3}), "r"), "fine");
    assert_eq!(call(&mut guards, "u", &one, "r"), "fine");
}

#[test]
fn watching_something_that_changes_is_no_repetition() {
    let mut guards = guards(ToolChainOptions::default());
    let arguments = json!({"process_id": "p1"});
    let judged: Vec<_> =
        (0..30).map(|i| call(&mut guards, "bash_output", &arguments, &format!("{i} lines"))).collect();
    assert_eq!(judged[1], "warn");
    assert!(judged[2..].iter().all(|j| *j == "fine"), "{judged:?}");
    // now it hangs
    let judged: Vec<_> = (0..5).map(|_| call(&mut guards, "bash_output", &arguments, "29 lines")).collect();
    assert_eq!(judged, ["fine", "warn", "warn", "stop", "stop"]);
}

#[test]
fn a_change_in_between_lets_others_begin_anew_but_not_itself() {
    let mut guards = guards(ToolChainOptions::default());
    let (test, edit) = (json!({"command": "make test"}), json!({"path": "a"}));
    let mut judged = Vec::new();
    for _ in 0..4 {
        assert_eq!(call(&mut guards, "bash", &test, "1 failed"), "fine");
        judged.push(call_that(&mut guards, "edit_file", &edit, "done", Changed::Something));
    }
    assert_eq!(judged, ["fine", "warn", "warn", "warn"]);
    assert_eq!(call_that(&mut guards, "edit_file", &edit, "done", Changed::Something), "stop");
}

#[test]
fn five_of_the_same_in_one_reply_are_counted_before_any_has_ended() {
    let mut guards = guards(ToolChainOptions::default());
    let judged: Vec<_> = (0..5).map(|_| guards.before_call("t", &json!({}))).collect();
    assert_eq!(judged[0], Repeat::Fine);
    assert!(judged[1..4].iter().all(|j| matches!(j, Repeat::Warn { .. })));
    assert!(matches!(judged[4], Repeat::Stop(_)));
}

#[test]
fn three_rounds_of_reasoning_stop() {
    let mut guards = guards(ToolChainOptions::default());
    assert!(matches!(guards.after_round(true), Round::Nudge { .. }));
    assert!(matches!(guards.after_round(true), Round::Nudge { .. }));
    assert_eq!(guards.after_round(false), Round::Fine);
    assert!(matches!(guards.after_round(true), Round::Nudge { .. }));
    assert!(matches!(guards.after_round(true), Round::Nudge { .. }));
    let stop = Stop { guard: Guard::OnlyReasoning, about: String::new() };
    assert_eq!(guards.after_round(true), Round::Stop(stop));
}

#[test]
fn three_denials_of_one_kind_stop() {
    let mut guards = guards(ToolChainOptions::default());
    assert_eq!(guards.denied("bash sensitive"), None);
    assert_eq!(guards.denied("write_file moderate"), None);
    assert_eq!(guards.denied("bash sensitive"), None);
    assert_eq!(guards.denied("write_file moderate"), None);
    let stop = guards.denied("bash sensitive").unwrap();
    assert_eq!((stop.guard, stop.about.as_str()), (Guard::DeniedThreeTimes, "bash sensitive"));
}

#[test]
fn every_limit_holds_exactly() {
    let none = Usage::default();
    let tokens = Usage { input_tokens: 60, output_tokens: 40, ..none };
    let fewer = Usage { input_tokens: 60, output_tokens: 39, ..none };
    let cost = |cost| Usage { cost, ..none };
    let limits = ToolChainOptions {
        max_rounds: 2,
        max_calls: 3,
        max_tokens: Some(100),
        max_time_s: Some(10),
        max_cost: Some(0.5),
        ..ToolChainOptions::default()
    };
    let second = Duration::from_secs(1);
    let cases = [
        (1, 2, second * 9, fewer, None),
        (2, 0, second, none, Some(Guard::MaxRounds)),
        (1, 3, second, none, Some(Guard::MaxCalls)),
        (1, 0, second, tokens, Some(Guard::MaxTokens)),
        (1, 0, second * 10, none, Some(Guard::MaxTime)),
        (1, 0, second, cost(Some(0.5)), Some(Guard::MaxCost)),
        (1, 0, second, cost(Some(0.49)), None),
        (1, 0, second, cost(None), None),
    ];
    for (rounds, calls, elapsed, usage, wanted) in cases {
        let mut guards = guards(limits.clone());
        (0..rounds).for_each(|_| guards.before_round());
        for call in 0..calls {
            assert_eq!(guards.before_call("t", &json!({"call": call})), Repeat::Fine);
        }
        assert_eq!(guards.calls_left(), 3 - calls);
        assert_eq!(guards.over_limit(elapsed, &usage).map(|stop| stop.guard), wanted);
    }
    let guards = self::guards(ToolChainOptions::default());
    let much = Usage { input_tokens: u64::MAX, output_tokens: 1, cached_tokens: 0, cost: Some(1e9) };
    assert_eq!(guards.over_limit(second * 1_000_000, &much), None);
}

#[test]
fn every_stop_has_a_code_and_words_in_both_languages() {
    let all = [
        (Guard::RepeatedCall, "repeated_call"),
        (Guard::OnlyReasoning, "only_reasoning"),
        (Guard::DeniedThreeTimes, "denied_three_times"),
        (Guard::MaxRounds, "max_rounds"),
        (Guard::MaxCalls, "max_calls"),
        (Guard::MaxTokens, "max_tokens"),
        (Guard::MaxTime, "max_time"),
        (Guard::MaxCost, "max_cost"),
    ];
    for (guard, code) in all {
        assert_eq!(guard.to_string(), code);
        assert_eq!(serde_json::to_value(guard).unwrap(), json!(code));
        let stop = Stop { guard, about: "X7".into() };
        let (english, chinese) = (stop.words(Language::English), stop.words(Language::Chinese));
        assert!(english.is_ascii() || english.contains('“'), "{english}");
        assert!(chinese.contains('。'), "{chinese}");
        if guard != Guard::OnlyReasoning {
            assert!(english.contains("X7") && chinese.contains("X7"));
        }
    }
}

#[test]
fn options_are_read_with_their_defaults_and_unknown_ones_refused() {
    let options: ToolChainOptions = serde_json::from_value(json!({"max_calls": 7})).unwrap();
    assert_eq!(options, ToolChainOptions { max_calls: 7, ..ToolChainOptions::default() });
    assert_eq!((options.max_rounds, options.max_tokens), (50, None));
    let error = serde_json::from_value::<ToolChainOptions>(json!({"max_call": 7})).unwrap_err();
    assert!(error.to_string().contains("max_calls"), "{error}");
}
