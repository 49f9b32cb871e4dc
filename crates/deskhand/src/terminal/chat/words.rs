//! What is said around a conversation, in both languages.

use deskhand_core::{Answer, Status, Time, event::TurnOutcome, session::Usage};

use crate::language::Language;

pub fn waiting(language: Language) -> &'static str {
    language.say("waiting for the model", "等待模型回应")
}

pub fn thinking(language: Language, words: usize) -> String {
    match language {
        Language::English => format!("thinking, {words} words"),
        Language::Chinese => format!("思考中，{words} 字"),
    }
}

pub fn thought(language: Language, seconds: i64, words: usize) -> String {
    match language {
        Language::English => format!("▸ thought for {seconds} s, {words} words"),
        Language::Chinese => format!("▸ 思考了 {seconds} 秒，{words} 字"),
    }
}

pub fn wanted(language: Language, id: &str) -> String {
    let id = end_of(id);
    match language {
        Language::English => format!("? waits for an answer: deskhand approvals answer {id} yes|no"),
        Language::Chinese => format!("? 等待批准：deskhand approvals answer {id} yes|no"),
    }
}

pub fn answered(language: Language, answer: &Answer, by: &str) -> String {
    let (word, reason) = match answer {
        Answer::Yes { .. } => (language.say("yes", "同意"), None),
        Answer::No { reason, .. } => (language.say("no", "拒绝"), reason.as_deref()),
        Answer::Edit { .. } => (language.say("with other arguments", "修改了参数"), None),
    };
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    match language {
        Language::English => format!("{word}, says {by}{reason}"),
        Language::Chinese => format!("{by}：{word}{reason}"),
    }
}

pub fn looked_at(language: Language, by: &str) -> String {
    match language {
        Language::English => format!("↳ {by} looked at the result"),
        Language::Chinese => format!("↳ {by} 查看了结果"),
    }
}

pub fn compacted(language: Language, messages: u64, (before, after): (u64, u64), file: &str) -> String {
    let (before, after) = (grouped(before), grouped(after));
    match language {
        Language::English => {
            format!("⋯ {messages} messages were summed up: {before} → {after} tokens; the whole is in {file}")
        }
        Language::Chinese => {
            format!("⋯ 已压缩 {messages} 条消息：{before} → {after} tokens；全文在 {file}")
        }
    }
}

pub fn undo(language: Language) -> &'static str {
    language.say("undo:", "撤销：")
}

pub fn more_lines(language: Language, more: usize) -> String {
    format!("… {more} {}", language.say("more lines", "行未显示"))
}

pub fn outcome(language: Language, outcome: TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Completed => language.say("Completed", "已完成"),
        TurnOutcome::Failed => language.say("Failed", "失败"),
        TurnOutcome::Cancelled => language.say("Cancelled", "已取消"),
        TurnOutcome::Stopped => language.say("Stopped", "已停止"),
    }
}

pub fn incomplete(language: Language) -> &'static str {
    language.say("The answer is incomplete.", "回答不完整。")
}

pub fn status(language: Language, status: Status) -> &'static str {
    match status {
        Status::Success => language.say("done", "成功"),
        Status::NotFound => language.say("no such tool", "没有这个工具"),
        Status::InvalidArguments => language.say("invalid arguments", "参数无效"),
        Status::Blocked => language.say("blocked", "被禁止"),
        Status::ExecutionRejected => language.say("rejected", "被拒绝"),
        Status::Expired => language.say("nobody answered in time", "批准超时"),
        Status::NobodyToAsk => language.say("nobody to ask", "无人可批准"),
        Status::Error => language.say("failed", "失败"),
        Status::TimedOut => language.say("timed out", "超时"),
        Status::Cancelled => language.say("cancelled", "已取消"),
        Status::ResultRejected => language.say("result withheld", "结果被扣留"),
    }
}

pub fn usage(language: Language, usage: Usage) -> String {
    let (input, output) = (grouped(usage.input_tokens), grouped(usage.output_tokens));
    let cached = match usage.cached_tokens {
        0 => String::new(),
        cached => match language {
            Language::English => format!(" ({} cached)", grouped(cached)),
            Language::Chinese => format!("（缓存 {}）", grouped(cached)),
        },
    };
    let cost = usage.cost.map_or_else(String::new, |cost| format!(" · ${cost:.4}"));
    match language {
        Language::English => format!("{input} tokens in{cached}, {output} out{cost}"),
        Language::Chinese => format!("输入 {input} tokens{cached}，输出 {output}{cost}"),
    }
}

/// A duration in milliseconds, as a person says it.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// How long ago that was.
pub fn age(language: Language, then: Time, now: Time) -> String {
    let minutes = now.timestamp().duration_since(then.timestamp()).as_mins().max(0);
    let (n, english, chinese) = match minutes {
        0 => return language.say("just now", "刚刚").to_owned(),
        1..60 => (minutes, "min", "分钟"),
        60..1_440 => (minutes / 60, "h", "小时"),
        _ => (minutes / 1_440, "d", "天"),
    };
    match language {
        Language::English => format!("{n} {english} ago"),
        Language::Chinese => format!("{n} {chinese}前"),
    }
}

/// The end of an id, by which people name it.
pub fn end_of(id: &str) -> &str {
    id.char_indices().rev().nth(7).map_or(id, |(at, _)| &id[at..])
}

/// A number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn numbers_durations_and_ids_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([12, 1_250, 61_000].map(duration), ["12 ms", "1.2 s", "1 min 1 s"]);
        assert_eq!(end_of("0197-abcd-12345678"), "12345678");
        assert_eq!(end_of("short"), "short");
    }

    #[test]
    fn ages_are_told_in_one_unit() {
        let now = Time::now();
        for (seconds, english, chinese) in [
            (5, "just now", "刚刚"),
            (300, "5 min ago", "5 分钟前"),
            (7_300, "2 h ago", "2 小时前"),
            (200_000, "2 d ago", "2 天前"),
        ] {
            let then = now.minus(Duration::from_secs(seconds));
            assert_eq!(age(Language::English, then, now), english);
            assert_eq!(age(Language::Chinese, then, now), chinese);
        }
        assert_eq!(age(Language::English, now.plus(Duration::from_mins(15)), now), "just now");
    }
}
