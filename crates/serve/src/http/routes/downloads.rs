//! Files out: a link is made for one file, and whoever has the link may fetch it.

use std::{
    io::{Read, SeekFrom},
    sync::Arc,
    time::{Duration, Instant},
};

use aide::{
    OperationOutput,
    axum::{
        ApiRouter,
        routing::{get_with, post_with},
    },
    generate::GenContext,
    openapi::{Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    Json,
    body::Body as RawBody,
    extract::State,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use deskhand_core::{CallId, Request, Status, Time, ToolError, event::NoEvents, output};
use deskhand_guard::{PathArg, Paths};
use futures_util::TryStreamExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

use super::uploads;
use crate::http::{
    app::App,
    attachment::Attachment,
    error::ApiError,
    extract::{At, Body},
    links::{Link, Source},
    mime,
    person::Person,
    range::{self, Wanted},
};

const USUAL_TIME: Duration = Duration::from_mins(10);
const LONGEST_TIME: Duration = Duration::from_hours(24);
/// How much of a file is in memory at once.
const PIECE: usize = 64 * 1024;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/downloads",
            post_with(make, |op| {
                op.id("makeDownload")
                    .summary("A link to a file: an upload, a kept output, or a file that may be read unasked")
                    .tag("files")
            }),
        )
        .api_route(
            "/api/files/download/{download_id}",
            get_with(fetch, |op| {
                op.id("download")
                    .summary("The file behind a link, or a range of it")
                    .description("The link is the permission: no token is needed.")
                    .tag("files")
            }),
        )
}

/// One of `upload_id`, `output` and `path`.
#[derive(Deserialize, JsonSchema)]
struct DownloadBody {
    /// A file of one of your sessions.
    upload_id: Option<String>,
    /// The whole output of one of your calls: `out:CALL_ID`.
    output: Option<String>,
    /// A file that may be read without a question.
    path: Option<String>,
    /// Whose workspace a relative path starts at.
    session_id: Option<String>,
    /// Good for one download: until all of the file was handed out, in one piece or in several, or for a minute after
    /// its first use.
    #[serde(default)]
    once: bool,
    /// Seconds that the link is good for: 600 where it is left out, a day at most.
    #[schemars(range(min = 1, max = 86_400))]
    ttl_s: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct DownloadLink {
    id: String,
    url: String,
    name: String,
    /// Bytes, as of now.
    size: u64,
    expires_at: Time,
    once: bool,
}

async fn make(
    State(app): State<App>,
    person: Person,
    Body(body): Body<DownloadBody>,
) -> Result<Json<DownloadLink>, ApiError> {
    let lasts = body.ttl_s.map_or(USUAL_TIME, Duration::from_secs);
    if lasts.is_zero() || lasts > LONGEST_TIME {
        return Err(ApiError::invalid("`ttl_s` must be 1 to 86400 seconds"));
    }
    let (source, name) = match (&body.upload_id, &body.output, &body.path) {
        (Some(id), None, None) => {
            let upload = uploads::kept(&app, &person, id).await?;
            (Source::Own(upload.path), upload.name)
        }
        (None, Some(handle), None) => output_of(&app, &person, handle).await?,
        (None, None, Some(path)) => place_of(&app, &person, body.session_id.as_deref(), path).await?,
        _ => return Err(ApiError::invalid("give one of `upload_id`, `output` and `path`")),
    };
    let (source, size, mime) = look(&app, source, &name).await?;
    let link = Link {
        owner: person.user,
        source,
        name: name.clone(),
        mime: mime.to_owned(),
        once: body.once,
        until: Instant::now() + lasts,
    };
    let id = app.links().add(link)?.reveal().to_owned();
    let url = format!("/api/files/download/{id}");
    Ok(Json(DownloadLink { id, url, name, size, expires_at: Time::now().plus(lasts), once: body.once }))
}

/// What a call of this person printed, whole and masked. To others it does not exist.
async fn output_of(app: &App, person: &Person, handle: &str) -> Result<(Source, String), ApiError> {
    let no_such = || ApiError::not_found(format!("there is no kept output {handle:?}"));
    let id = handle.strip_prefix(output::HANDLE_PREFIX).unwrap_or(handle);
    let call = CallId::parse(id).ok_or_else(no_such)?;
    let (audit, outputs) = (Arc::clone(&app.gate().audit), Arc::clone(&app.gate().outputs));
    // What was printed raw, unmasked, lies under ids that are no call's.
    let found = app.blocking(move || Ok((audit.last_record(call)?, outputs.path(call)))).await?;
    match found {
        (Some(record), Some(path)) if record.owner == person.user => {
            Ok((Source::Own(path), format!("{}-{call}.txt", record.tool_name)))
        }
        _ => Err(no_such()),
    }
}

/// A file that may be read unasked where this person's calls work.
async fn place_of(
    app: &App,
    person: &Person,
    session_id: Option<&str>,
    path: &str,
) -> Result<(Source, String), ApiError> {
    let session = match session_id {
        Some(id) => Some(app.session_of(person, id).await?),
        None => None,
    };
    let cx = app.surround(person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    let paths =
        cx.services.get::<Paths>().cloned().ok_or_else(|| ApiError::broken("no files can be read here"))?;
    let wanted = PathArg::new(path);
    let place = app.blocking(move || paths.readable_unasked(&wanted).map_err(refused)).await?;
    // A remembered no of read_file is one about its content, however it is fetched.
    let request = Request::new("read_file", json!({"path": place.text()}));
    if let Ok(explained) = app.gate().explain(request, &cx).await
        && explained.decision == "forbid"
    {
        return Err(needs_a_question(&explained.rule, &explained.why));
    }
    let name = place.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((Source::Place(place), name))
}

fn refused(error: ToolError) -> ApiError {
    match (error.status, error.code) {
        (Status::Blocked, rule) => needs_a_question(rule, &error.message),
        (_, "no_such_file") => ApiError::not_found(error.message),
        _ => ApiError::invalid(error.message),
    }
}

fn needs_a_question(rule: &str, why: &str) -> ApiError {
    ApiError::forbidden("not_public", format!("{why} ({rule})"))
        .hint("Ask for it in the conversation: there you are shown what would be read.")
}

/// Opens it once, to know that it can be, how large it is, and what it is.
async fn look(app: &App, source: Source, name: &str) -> Result<(Source, u64, &'static str), ApiError> {
    let name = name.to_owned();
    app.blocking(move || {
        let file = source.open()?;
        let unreadable = |error| ApiError::disk("read the file", &error);
        let size = file.metadata().map_err(unreadable)?.len();
        let mut head = Vec::new();
        file.take(mime::HEAD as u64).read_to_end(&mut head).map_err(unreadable)?;
        Ok((source, size, mime::of(&name, &head)))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
struct DownloadPath {
    download_id: String,
}

async fn fetch(
    State(app): State<App>,
    At(path): At<DownloadPath>,
    method: Method,
    headers: HeaderMap,
) -> Result<Download, ApiError> {
    let no_such = || ApiError::not_found("there is no such link: it is wrong, used up, or too old");
    let link = app.links().find(&path.download_id).ok_or_else(no_such)?;
    let opened = Arc::clone(&link);
    let (file, size, etag) = app
        .blocking(move || {
            let file = opened.source.open()?;
            let meta = file.metadata().map_err(|error| ApiError::disk("read the file", &error))?;
            Ok((file, meta.len(), etag(&meta)))
        })
        .await?;
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    // A part of what the file was before does not fit what it is now.
    let is_same = text(header::IF_RANGE).is_none_or(|known| known == etag);
    let wanted = range::wanted(text(header::RANGE).filter(|_| is_same), size);
    let (first, length) = match wanted {
        Wanted::Whole => (0, size),
        Wanted::Part { first, last } => (first, last - first + 1),
        Wanted::Nothing => (0, 0),
    };
    let mut handing_out = None;
    if method == Method::GET && wanted != Wanted::Nothing {
        handing_out = Some(app.links().hand_out(&path.download_id, length, size).ok_or_else(no_such)?);
    }
    let mut file = tokio::fs::File::from_std(file);
    file.seek(SeekFrom::Start(first)).await.map_err(|error| ApiError::disk("read the file", &error))?;
    let pieces = ReaderStream::with_capacity(file.take(length), PIECE).inspect_ok(move |piece| {
        if let Some(handing_out) = &mut handing_out {
            handing_out.sent(piece.len());
        }
    });
    let body = RawBody::from_stream(pieces);
    let attachment = Attachment { name: link.name.clone(), mime: link.mime.clone(), body };
    Ok(Download { attachment, wanted, size, length, etag })
}

/// Changes whenever the file does.
fn etag(meta: &std::fs::Metadata) -> String {
    let changed = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    format!("\"{:x}-{:x}\"", meta.len(), changed.unwrap_or_default().as_nanos())
}

/// A file, or a range of it.
struct Download {
    attachment: Attachment,
    wanted: Wanted,
    size: u64,
    length: u64,
    etag: String,
}

impl IntoResponse for Download {
    fn into_response(self) -> Response {
        let Self { attachment, wanted, size, length, etag } = self;
        let mut response = attachment.into_response();
        let (status, range) = match wanted {
            Wanted::Whole => (StatusCode::OK, None),
            Wanted::Part { first, last } => {
                (StatusCode::PARTIAL_CONTENT, Some(format!("bytes {first}-{last}/{size}")))
            }
            Wanted::Nothing => (StatusCode::RANGE_NOT_SATISFIABLE, Some(format!("bytes */{size}"))),
        };
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        for (name, value) in [(header::ETAG, Some(etag)), (header::CONTENT_RANGE, range)] {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(name, value);
            }
        }
        response
    }
}

impl OperationOutput for Download {
    type Inner = Attachment;

    fn operation_response(ctx: &mut GenContext, operation: &mut Operation) -> Option<ApiResponse> {
        Attachment::operation_response(ctx, operation)
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        [200, 206, 416]
            .into_iter()
            .filter_map(|code| Some((Some(ApiStatus::Code(code)), Self::operation_response(ctx, operation)?)))
            .collect()
    }
}
