//! What guards say, to the model and to the person.

use super::{DENIALS, Guard, REASONING_ROUNDS, SAME_CALLS, Stop};
use crate::chain::Language;

impl Stop {
    /// Why the turn was stopped, and what to do, for the person.
    pub fn words(&self, language: Language) -> String {
        let about = &self.about;
        match language {
            Language::English => match self.guard {
                Guard::RepeatedCall => {
                    format!(
                        "The model made the same call of {about} {SAME_CALLS} times in a row. Say what it should do instead."
                    )
                }
                Guard::OnlyReasoning => {
                    format!(
                        "The model only thought for {REASONING_ROUNDS} rounds, without an answer or a call. Ask again, or take another model."
                    )
                }
                Guard::DeniedThreeTimes => {
                    format!("The same was denied {DENIALS} times ({about}). Say what may be done instead.")
                }
                Guard::MaxRounds => {
                    format!("The limit of {about} rounds is reached (max_rounds). Say “go on” to go on.")
                }
                Guard::MaxCalls => {
                    format!("The limit of {about} calls is reached (max_calls). Say “go on” to go on.")
                }
                Guard::MaxTokens => format!("The limit of {about} tokens is reached (max_tokens)."),
                Guard::MaxTime => format!("The limit of {about} seconds is reached (max_time_s)."),
                Guard::MaxCost => format!("The limit of {about} US dollars is reached (max_cost)."),
            },
            Language::Chinese => match self.guard {
                Guard::RepeatedCall => {
                    format!("模型连续 {SAME_CALLS} 次用相同参数调用 {about}。请告诉它该怎么做。")
                }
                Guard::OnlyReasoning => {
                    format!(
                        "模型连续 {REASONING_ROUNDS} 轮只思考，没有回答也没有调用工具。请重新提问，或换一个模型。"
                    )
                }
                Guard::DeniedThreeTimes => {
                    format!("同一类操作已被拒绝 {DENIALS} 次（{about}）。请说明可以怎么做。")
                }
                Guard::MaxRounds => format!("已达到 {about} 轮的上限（max_rounds）。说“继续”即可继续。"),
                Guard::MaxCalls => format!("已达到 {about} 次调用的上限（max_calls）。说“继续”即可继续。"),
                Guard::MaxTokens => format!("已达到 {about} 个 token 的上限（max_tokens）。"),
                Guard::MaxTime => format!("已达到 {about} 秒的上限（max_time_s）。"),
                Guard::MaxCost => format!("已达到 {about} 美元的上限（max_cost）。"),
            },
        }
    }
}

/// For the model: this is the same call as before.
pub(super) fn repeated(language: Language, name: &str, time: u32) -> String {
    match language {
        Language::English => format!(
            "This is call {time} of {name} with the same arguments, and nothing has changed since. Use the result that \
             you have, or do something else; the {SAME_CALLS}th time ends the turn."
        ),
        Language::Chinese => format!(
            "这是第 {time} 次用相同参数调用 {name}，期间没有任何变化。请使用已有的结果，或换一种做法；第 {SAME_CALLS} 次将结束本轮。"
        ),
    }
}

/// For the model: say or do something.
pub(super) fn nudge(language: Language) -> &'static str {
    language.say(
        "Your last reply had neither an answer nor a call. Call a tool, or answer now.",
        "你上一条回复既没有回答，也没有调用工具。请调用工具，或现在就回答。",
    )
}
