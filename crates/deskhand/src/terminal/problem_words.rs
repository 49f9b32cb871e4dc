//! What is wrong with a model, in words for the terminal: ours as ours, the server's as the server's.

use deskhand_agent::provider::{Problem, ProviderError, presets::Preset};

use super::safe_line;
use crate::language::Language;

/// What the problem is about.
pub struct Subject<'a> {
    pub preset: &'a Preset,
    pub host: &'a str,
    /// As the provider names it; empty where none is named yet.
    pub model: &'a str,
}

/// The problem, what to do about it, and what the server said of it.
pub fn problem_words(language: Language, subject: &Subject<'_>, error: &ProviderError) -> String {
    let problem = error.problem();
    let (what, remedy) = match language {
        Language::English => english(subject, problem),
        Language::Chinese => chinese(subject, problem),
    };
    let mut text = format!("✗ {what}\n  {remedy}");
    let detail = match (&error.said, language) {
        (Some(said), Language::English) => format!("{} answered: \"{}\"", subject.host, safe_line(said)),
        (Some(said), Language::Chinese) => format!("{} 的答复：“{}”", subject.host, safe_line(said)),
        (None, Language::English) => format!("Details: {}", safe_line(&error.message)),
        (None, Language::Chinese) => format!("详情：{}", safe_line(&error.message)),
    };
    text.push_str(&format!("\n  {detail}"));
    text
}

fn english(subject: &Subject<'_>, problem: Problem) -> (String, String) {
    let Subject { preset, host, model } = *subject;
    let title = &preset.title;
    let plain = |what: &str, remedy: &str| (what.to_owned(), remedy.to_owned());
    match problem {
        Problem::BadAddress => {
            plain("This address cannot be used.", "An address looks like this: http://127.0.0.1:8080/v1")
        }
        Problem::NoServer => match &preset.start {
            Some(start) => (
                format!("{title} is not running at {host}."),
                format!("Start it in another terminal: {start}"),
            ),
            None => (
                format!("No server is running at {host}."),
                "Check the address and its port, or start the server.".to_owned(),
            ),
        },
        Problem::NameNotFound => (
            format!("The name {host} was not found."),
            "Check the spelling of the address and your network connection.".to_owned(),
        ),
        Problem::NoNetwork => (
            format!("{host} cannot be reached: there seems to be no network connection."),
            "Check your network connection, VPN and proxy.".to_owned(),
        ),
        Problem::Tls => (
            format!("There is no secure connection to {host}."),
            "Check whether the address begins with http:// or https://, and the server's certificate."
                .to_owned(),
        ),
        Problem::TimedOut => (
            format!("{host} did not answer in time."),
            "Try again: a model may have to be loaded first.".to_owned(),
        ),
        Problem::BrokeOff => (
            format!("{host} closed the connection without an answer."),
            "Try again. If it happens again, look at the log of the server.".to_owned(),
        ),
        Problem::NotCompatible => (
            format!("{host} answers, but not as an OpenAI-compatible server."),
            "Check the address. The path of the API is often /v1.".to_owned(),
        ),
        Problem::Moved => (
            format!("{host} sends requests to another address."),
            "Use the address that really answers.".to_owned(),
        ),
        Problem::NoKey => (format!("{host} wants a key."), "Enter one.".to_owned()),
        Problem::WrongKey => {
            plain("The key was refused.", "Was it copied whole, and is it a key for this address?")
        }
        Problem::NotAllowed => (
            format!("{host} does not allow this request."),
            "Its answer says why. The account, the model or your region may not be allowed.".to_owned(),
        ),
        Problem::KeyHeldBack => (
            format!("The stored key was entered for another address, so it was not sent to {host}."),
            "Enter a key for this address, or use the stored one here.".to_owned(),
        ),
        Problem::NoCredit => plain("The account has no credit left.", "Top it up, or use another key."),
        Problem::RateLimited => plain("The server limits requests.", "Wait a while, then try again."),
        Problem::NoSuchModel => (
            format!("{host} has no model {}.", safe_line(model)),
            match &preset.pull {
                Some(_) => format!("Get it: ollama pull {}", safe_line(model)),
                None => "Choose one from the list.".to_owned(),
            },
        ),
        Problem::NoModels => (
            format!("{title} has no model yet."),
            preset
                .pull
                .as_ref()
                .map_or_else(|| "Load one there.".to_owned(), |pull| format!("Get one: {pull}")),
        ),
        Problem::ServerError => plain("The server reported an error of its own.", "Try again later."),
        Problem::Refused => (format!("{host} refused the request."), "Its answer says why.".to_owned()),
        Problem::Other => plain("The test failed.", "The details say why."),
    }
}

fn chinese(subject: &Subject<'_>, problem: Problem) -> (String, String) {
    let Subject { preset, host, model } = *subject;
    let title = if preset.name == "custom" { "该服务" } else { preset.title.as_str() };
    let plain = |what: &str, remedy: &str| (what.to_owned(), remedy.to_owned());
    match problem {
        Problem::BadAddress => plain("这个地址无法使用。", "地址示例：http://127.0.0.1:8080/v1"),
        Problem::NoServer => match &preset.start {
            Some(start) => (format!("{title} 没有在 {host} 运行。"), format!("请在另一个终端启动：{start}")),
            None => (format!("{host} 上没有服务在运行。"), "请检查地址和端口，或先启动服务。".to_owned()),
        },
        Problem::NameNotFound => (format!("找不到主机 {host}。"), "请检查地址拼写和网络连接。".to_owned()),
        Problem::NoNetwork => {
            (format!("无法连接 {host}，网络似乎不通。"), "请检查网络、VPN 和代理设置。".to_owned())
        }
        Problem::Tls => (
            format!("无法与 {host} 建立安全连接。"),
            "请检查地址应以 http:// 还是 https:// 开头，以及服务器证书。".to_owned(),
        ),
        Problem::TimedOut => (format!("{host} 没有及时应答。"), "请重试：模型可能需要先加载。".to_owned()),
        Problem::BrokeOff => (
            format!("{host} 没有给出答复就断开了连接。"),
            "请重试；如果仍然如此，请查看服务的日志。".to_owned(),
        ),
        Problem::NotCompatible => (
            format!("{host} 有应答，但不是 OpenAI 兼容服务。"),
            "请检查地址，接口路径通常是 /v1。".to_owned(),
        ),
        Problem::Moved => (format!("{host} 要求改用另一个地址。"), "请填写实际提供服务的地址。".to_owned()),
        Problem::NoKey => (format!("{host} 需要密钥。"), "请输入密钥。".to_owned()),
        Problem::WrongKey => plain("密钥被拒绝。", "请确认密钥复制完整，并且适用于这个地址。"),
        Problem::NotAllowed => (
            format!("{host} 不允许这个请求。"),
            "原因见服务的答复：账户、模型或所在地区可能不被允许。".to_owned(),
        ),
        Problem::KeyHeldBack => (
            format!("已保存的密钥是为另一个地址输入的，没有发送到 {host}。"),
            "请输入这个地址的密钥，或允许在此使用已保存的密钥。".to_owned(),
        ),
        Problem::NoCredit => plain("账户余额不足。", "请充值或更换密钥。"),
        Problem::RateLimited => plain("请求过于频繁，被服务限流。", "请稍后重试。"),
        Problem::NoSuchModel => (
            format!("{host} 没有模型 {}。", safe_line(model)),
            match &preset.pull {
                Some(_) => format!("下载该模型：ollama pull {}", safe_line(model)),
                None => "请从列表中选择。".to_owned(),
            },
        ),
        Problem::NoModels => (
            format!("{title} 还没有模型。"),
            preset
                .pull
                .as_ref()
                .map_or_else(|| "请先在服务中加载模型。".to_owned(), |pull| format!("下载一个：{pull}")),
        ),
        Problem::ServerError => plain("服务自身出错。", "请稍后重试。"),
        Problem::Refused => (format!("{host} 拒绝了请求。"), "原因见服务的答复。".to_owned()),
        Problem::Other => plain("测试没有成功。", "原因见详情。"),
    }
}
