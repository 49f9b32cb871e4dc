//! Asking in the terminal: the plan with its preview, and every answer that there is.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use deskhand_core::{
    Answer, ApprovalRequest, Approver, Plan, Remember, ResultAnswer, Shape,
    approval::{AnyAnswer, RememberScope, Subject},
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    PlanView, Style,
    input::{forget_typed, read_line},
    parse_arguments, parse_until,
    pictures::Pictures,
    safe, safe_line,
};
use crate::language::Language;

/// How many lines of a result are shown before the question.
const MOST_RESULT_LINES: usize = 40;

pub struct TerminalApprover {
    pub language: Language,
    /// Where pictures lie that a person is asked about.
    pub data_dir: PathBuf,
}

impl Approver for TerminalApprover {
    fn name(&self) -> &'static str {
        "person:terminal"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        Box::pin(async move {
            let dialogue = Dialogue::new(self.language);
            // What was typed before the question was seen is no answer to it.
            forget_typed();
            match &request.subject {
                Subject::Execution { plan } if plan.changes.is_some() => {
                    dialogue.changes(request, plan).await.map(AnyAnswer::Execution)
                }
                Subject::Execution { plan } => {
                    dialogue.execution(request, plan).await.map(AnyAnswer::Execution)
                }
                Subject::Result { text, data, images } => {
                    // They are there until the question is answered, here or elsewhere.
                    let pictures = Pictures::put(&self.data_dir, &request.id, images);
                    dialogue.result(request, text, data, &pictures).await.map(AnyAnswer::Result)
                }
            }
        })
    }
}

/// One conversation about one question. Dropping it ends the read that it may be waiting in.
struct Dialogue {
    style: Style,
    language: Language,
    cancel: CancellationToken,
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Dialogue {
    fn new(language: Language) -> Self {
        Self { style: Style::for_stderr(), language, cancel: CancellationToken::new() }
    }

    fn say<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        self.language.say(english, chinese)
    }

    fn show(text: &str) {
        let _ = write!(io::stderr(), "{text}");
    }

    async fn read(&self, prompt: &str) -> Option<String> {
        Self::show(prompt);
        let line = read_line(self.cancel.clone()).await?;
        Some(line.trim().to_owned())
    }

    async fn execution(&self, request: &ApprovalRequest, plan: &Plan) -> Option<Answer> {
        let view = PlanView { style: self.style, language: self.language };
        let wants = self.say("wants to run", "请求执行");
        let permission = view.permission(plan.permission);
        Self::show(&format!(
            "\n{} {wants} ({permission})\n{}",
            self.style.bold(&safe_line(&request.tool)),
            view.plan(plan)
        ));
        let menu = if request.may_remember {
            self.say(
                "[y] yes, once  [s] this session  [w] this workspace  [a] always\n[n] no  [r] no, and remember  [e] edit  [v] view all",
                "[y] 同意一次  [s] 本会话  [w] 本工作区  [a] 始终\n[n] 拒绝  [r] 拒绝并记住  [e] 修改参数  [v] 查看全部",
            )
        } else {
            self.say(
                "[y] yes, once  [n] no  [r] no, and remember  [e] edit  [v] view all",
                "[y] 同意一次  [n] 拒绝  [r] 拒绝并记住  [e] 修改参数  [v] 查看全部",
            )
        };
        loop {
            let word = self.read(&format!("{menu}\n> ")).await?;
            let scope = match word.as_str() {
                "s" => RememberScope::Session,
                "w" => RememberScope::Workspace,
                "a" => RememberScope::Always,
                "y" | "yes" => return Some(Answer::Yes { remember: None }),
                "n" | "no" => return Some(Answer::No { reason: self.reason().await?, remember: None }),
                "r" => {
                    let reason = self.reason().await?;
                    let remember = Some(self.remember(request, plan, RememberScope::Workspace).await?);
                    return Some(Answer::No { reason, remember });
                }
                "v" => {
                    let whole =
                        plan.preview.as_ref().map_or_else(String::new, |all| view.preview(all, usize::MAX));
                    Self::show(&whole);
                    continue;
                }
                "e" => match self.edited(request).await? {
                    Some(arguments) => return Some(Answer::Edit { arguments }),
                    None => continue,
                },
                _ => continue,
            };
            if request.may_remember {
                let remember = Some(self.remember(request, plan, scope).await?);
                return Some(Answer::Yes { remember });
            }
        }
    }

    /// A command has run. What it changed is kept or discarded.
    async fn changes(&self, request: &ApprovalRequest, plan: &Plan) -> Option<Answer> {
        let view = PlanView { style: self.style, language: self.language };
        let question = self.say("has run. Keep these changes?", "已执行。保留这些更改吗？");
        let permission = view.permission(plan.permission);
        Self::show(&format!(
            "\n{} {question} ({permission})\n{}",
            self.style.bold(&safe_line(&request.tool)),
            view.plan(plan)
        ));
        let may_remember = request.may_remember && !plan.shapes.is_empty();
        let menu = changes_menu(self.language, may_remember);
        loop {
            let scope = match self.read(&format!("{menu}\n> ")).await?.as_str() {
                "k" | "y" | "yes" => return Some(Answer::Yes { remember: None }),
                "d" | "n" | "no" => {
                    return Some(Answer::No { reason: self.reason().await?, remember: None });
                }
                "s" if may_remember => RememberScope::Session,
                "w" if may_remember => RememberScope::Workspace,
                "v" => {
                    Self::show(&view.changes(plan, usize::MAX, usize::MAX));
                    continue;
                }
                _ => continue,
            };
            let remember = Some(self.remember(request, plan, scope).await?);
            return Some(Answer::Yes { remember });
        }
    }

    async fn reason(&self) -> Option<Option<String>> {
        let text = self.read(self.say("Why (may be empty): ", "原因（可留空）：")).await?;
        Some((!text.is_empty()).then_some(text))
    }

    /// What the answer is remembered for, and until when. It is shown in words before it counts.
    async fn remember(
        &self,
        request: &ApprovalRequest,
        plan: &Plan,
        scope: RememberScope,
    ) -> Option<Remember> {
        let mut list = format!("{}\n", self.say("Remember it for:", "记住的范围："));
        for (n, shape) in plan.shapes.iter().enumerate() {
            let words = shape_words(shape, &request.tool, self.language);
            list.push_str(&format!("  {}. {}\n", n + 1, safe_line(&words)));
        }
        Self::show(&list);
        let shape = loop {
            let word = self.read("[1] > ").await?;
            let n = if word.is_empty() { Ok(1) } else { word.parse::<usize>() };
            if let Some(shape) = n.ok().and_then(|n| plan.shapes.get(n.checked_sub(1)?)) {
                break shape.clone();
            }
        };
        let until = loop {
            let word = self
                .read(self.say(
                    "Until when (30m, 2h, 7d, a time; empty: no end): ",
                    "有效期（30m、2h、7d 或时间；留空为无限期）：",
                ))
                .await?;
            if word.is_empty() {
                break None;
            }
            match parse_until(&word) {
                Ok(time) => break Some(time),
                Err(error) => Self::show(&format!("{error:#}\n")),
            }
        };
        Some(Remember { scope, shape, until })
    }

    /// New arguments; `None` inside if the person thought better of it.
    async fn edited(&self, request: &ApprovalRequest) -> Option<Option<Value>> {
        Self::show(&format!("{}\n", safe(&request.arguments.to_string())));
        loop {
            let prompt =
                self.say("New arguments, as JSON (empty: go back): ", "新的参数（JSON；留空返回）：");
            let text = self.read(prompt).await?;
            if text.is_empty() {
                return Some(None);
            }
            match parse_arguments(&[text], &Value::Null) {
                Ok(value) => return Some(Some(value)),
                Err(error) => Self::show(&format!("{error:#}\n")),
            }
        }
    }

    async fn result(
        &self,
        request: &ApprovalRequest,
        text: &str,
        data: &Value,
        pictures: &io::Result<Pictures>,
    ) -> Option<ResultAnswer> {
        let title = self.say("ran. This is what the caller would see:", "已执行。调用方将看到：");
        Self::show(&format!("\n{} {title}\n", self.style.bold(&safe_line(&request.tool))));
        let shown = safe(text);
        for line in shown.lines().take(MOST_RESULT_LINES) {
            Self::show(&format!("  {line}\n"));
        }
        let more = shown.lines().count().saturating_sub(MOST_RESULT_LINES);
        if more > 0 {
            Self::show(&format!("  … {more} {}\n", self.say("more lines", "行未显示")));
        }
        let also = self.say("and with it this picture:", "以及这张图片：");
        match pictures {
            Ok(pictures) => pictures.files().iter().for_each(|file| {
                Self::show(&format!("  {} {}\n", self.style.yellow(also), file.display()));
            }),
            Err(error) => Self::show(&format!("  {} {error}\n", self.style.yellow(also))),
        }
        let menu = self.say(
            "[p] pass  [e] edit  [w] withhold  [v] view all",
            "[p] 放行  [e] 修改  [w] 扣留  [v] 查看全部",
        );
        loop {
            match self.read(&format!("{menu}\n> ")).await?.as_str() {
                "p" | "y" => return Some(ResultAnswer::Pass),
                // The data for programs goes along with the text.
                "v" => Self::show(&format!("{shown}\n{}\n", safe(&format!("{data:#}")))),
                "w" | "n" => return Some(ResultAnswer::Withhold { reason: self.reason().await? }),
                "e" => {
                    let prompt = self.say("What the caller sees instead: ", "改为给调用方看：");
                    return Some(ResultAnswer::Edit { text: self.read(prompt).await? });
                }
                _ => {}
            }
        }
    }
}

fn changes_menu(language: Language, may_remember: bool) -> &'static str {
    if may_remember {
        language.say(
            "[k] keep  [d] discard  [v] view all\n\
             keep undoable changes without asking: [s] in this session  [w] in this workspace",
            "[k] 保留  [d] 丢弃  [v] 查看全部\n可撤销的更改今后直接保留：[s] 本会话  [w] 本工作区",
        )
    } else {
        language.say("[k] keep  [d] discard  [v] view all", "[k] 保留  [d] 丢弃  [v] 查看全部")
    }
}

/// What a remembered answer covers.
fn shape_words(shape: &Shape, tool: &str, language: Language) -> String {
    match (shape, language) {
        (Shape::Changes { workspace }, Language::Chinese) => {
            format!("{} 内可撤销的更改（命令与文件工具）", workspace.display())
        }
        _ => shape.words(tool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_menu_offers_to_remember_only_where_it_may() {
        for language in [Language::English, Language::Chinese] {
            assert!(changes_menu(language, true).contains("[w]"));
            for key in ["[s]", "[w]", "[e]", "[r]"] {
                assert!(!changes_menu(language, false).contains(key), "{key}");
            }
        }
    }

    #[test]
    fn shape_of_changes_is_said_in_both_languages() {
        let shape = Shape::Changes { workspace: "/w".into() };
        assert_eq!(
            shape_words(&shape, "bash", Language::English),
            "changes that can be undone in /w, by commands and file tools"
        );
        assert_eq!(shape_words(&shape, "bash", Language::Chinese), "/w 内可撤销的更改（命令与文件工具）");
    }
}
