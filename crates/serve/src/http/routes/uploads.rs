//! Files in: piece by piece, so that a broken connection costs little, or in one request.

use aide::{
    OperationInput,
    axum::{
        ApiRouter,
        routing::{get_with, patch_with, post_with},
    },
    generate::GenContext,
    openapi::{MediaType, Operation, RequestBody, SchemaObject},
    operation::set_body,
};
use axum::{
    Json,
    body::Body as RawBody,
    extract::{DefaultBodyLimit, FromRequest, Multipart, Request, State},
    http::{HeaderMap, header},
};
use deskhand_agent::uploads::{ForModel, for_model};
use deskhand_core::session::{MAX_UPLOAD, SessionError, Upload};
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};

use super::sessions::{SessionPath, Success};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
    receive::{Room, receive, too_much},
    unfinished::{Announced, OneShot, Unfinished},
};

/// What a form may need around its file.
const FORM_BYTES: u64 = 64 << 10;
/// Longer names are not names.
const MOST_NAME_BYTES: usize = 4096;
const OFFSET: &str = "upload-offset";

pub fn routes() -> ApiRouter<App> {
    let whole = usize::try_from(MAX_UPLOAD + FORM_BYTES).unwrap_or(usize::MAX);
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions/{session_id}/uploads",
            get_with(list, |op| op.id("listUploads").summary("The files of a session").tag("files")).post_with(
                begin,
                |op| op.id("beginUpload").summary("Announce a file, then send it piece by piece").tag("files"),
            ),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/uploads/copy",
            post_with(copy, |op| {
                op.id("copyUpload").summary("One of your files in another session, for this one, too").tag("files")
            }),
        )
        .api_route(
            "/api/v1/uploads/{upload_id}",
            patch_with(go_on, |op| {
                op.id("continueUpload")
                    .summary("The next piece of a file")
                    .description(
                        "The header `Upload-Offset` says how many bytes came before it. With the last piece the file \
                         is checked and becomes one of the session's; `upload` has it then.",
                    )
                    .tag("files")
            })
            .get_with(state, |op| op.id("getUpload").summary("How far an upload is").tag("files"))
            .delete_with(give_up, |op| {
                op.id("deleteUpload").summary("Give up an upload that is not finished").tag("files")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/files",
            post_with(one_shot, |op| {
                op.id("uploadFile").summary("A whole file in one request, as a form").tag("files")
            })
            .layer(DefaultBodyLimit::max(whole)),
        )
}

#[derive(Deserialize, JsonSchema)]
struct UploadPath {
    upload_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct UploadBody {
    /// As the person calls it.
    name: String,
    /// Bytes; 104857600 at most.
    #[schemars(range(max = 104_857_600))]
    size: u64,
    /// Left out: as its content says.
    mime: Option<String>,
    /// In hex. What came is compared with it.
    sha256: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct CopyBody {
    upload_id: String,
}

async fn copy(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<CopyBody>,
) -> Result<Json<UploadItem>, ApiError> {
    let from = app.store(move |store| store.upload(&body.upload_id)).await?;
    app.session_of(&person, &from.session_id)
        .await
        .map_err(|_| ApiError::not_found(format!("there is no upload {:?}", from.id)))?;
    let copy = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.copy_upload(&from.id, &session.id)
        })
        .await?;
    Ok(Json(item(&app, copy).await?))
}

/// A file of a session.
#[derive(Serialize, JsonSchema)]
struct UploadItem {
    #[serde(flatten)]
    upload: Upload,
    /// How the model of the session gets it.
    for_model: ForModel,
}

async fn item(app: &App, upload: Upload) -> Result<UploadItem, ApiError> {
    let mut items = items(app, vec![upload]).await?;
    items.pop().ok_or_else(|| ApiError::broken("the upload was lost"))
}

/// Uploads of one session, with what its model takes of them.
async fn items(app: &App, uploads: Vec<Upload>) -> Result<Vec<UploadItem>, ApiError> {
    let agent = app.agent().clone();
    app.store(move |store| {
        let Some(first) = uploads.first() else { return Ok::<_, SessionError>(Vec::new()) };
        let session = store.session(&first.session_id)?;
        let provider = agent.models().connect_for(&session, session.metadata.model.as_deref());
        // Without a model nothing is known to be too much for it.
        let model = provider.ok().map(|provider| provider.capabilities());
        let item = |upload| UploadItem { for_model: for_model(&upload, model), upload };
        Ok(uploads.into_iter().map(item).collect())
    })
    .await
}

/// How far an upload is.
#[derive(Serialize, JsonSchema)]
struct UploadState {
    upload_id: String,
    /// How many bytes have come.
    offset: u64,
    size: u64,
    complete: bool,
    /// Of what came, once it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// The file of the session that it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    upload: Option<UploadItem>,
}

impl UploadState {
    fn of(unfinished: Unfinished, upload: Option<UploadItem>) -> Self {
        let offset = unfinished.offset();
        Self {
            upload_id: unfinished.id,
            offset,
            size: unfinished.announced.size,
            complete: unfinished.announced.finished.is_some(),
            sha256: unfinished.announced.finished.map(|finished| finished.sha256),
            upload,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UploadList {
    uploads: Vec<UploadItem>,
}

async fn list(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<UploadList>, ApiError> {
    let uploads =
        app.with_session(&person, &path.session_id, |store, session| store.uploads(&session.id)).await?;
    Ok(Json(UploadList { uploads: items(&app, uploads).await? }))
}

async fn begin(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<UploadBody>,
) -> Result<Json<UploadState>, ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    if body.size > MAX_UPLOAD {
        return Err(ApiError::too_large(format!(
            "{:?} has {} bytes; {MAX_UPLOAD} is the most that an upload may have",
            body.name, body.size
        )));
    }
    check_name(&body.name)?;
    let announced = Announced {
        owner: person.user,
        session_id: session.id,
        name: body.name,
        size: body.size,
        mime: body.mime.filter(|mime| !mime.is_empty()),
        sha256: body.sha256.map(|hash| checked_hash(&hash)).transpose()?,
        finished: None,
    };
    let begun = app.store(move |store| Unfinished::begin(store.upload_place()?, announced)).await?;
    Ok(Json(UploadState::of(begun, None)))
}

fn check_name(name: &str) -> Result<(), ApiError> {
    if name.trim().is_empty() || name.len() > MOST_NAME_BYTES {
        return Err(ApiError::invalid(format!("`name` must have 1 to {MOST_NAME_BYTES} bytes")));
    }
    Ok(())
}

fn checked_hash(hash: &str) -> Result<String, ApiError> {
    let hash = hash.to_ascii_lowercase();
    if hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(hash);
    }
    Err(ApiError::invalid("`sha256` must be 64 hexadecimal digits"))
}

async fn find(app: &App, person: &Person, id: &str) -> Result<Unfinished, ApiError> {
    let (wanted, owner) = (id.to_owned(), person.user.clone());
    app.store(move |store| {
        let found = Unfinished::find(store.upload_place()?, &wanted, owner.as_deref());
        found.ok_or_else(|| ApiError::from(SessionError::NoSuchUpload(wanted)))
    })
    .await
}

/// A file that belongs to a session of this person. To others it does not exist.
pub async fn kept(app: &App, person: &Person, id: &str) -> Result<Upload, ApiError> {
    let wanted = id.to_owned();
    let upload = app.store(move |store| store.upload(&wanted)).await?;
    let no_such = |_| ApiError::from(SessionError::NoSuchUpload(id.to_owned()));
    app.session_of(person, &upload.session_id).await.map_err(no_such)?;
    Ok(upload)
}

async fn state(
    State(app): State<App>,
    person: Person,
    At(path): At<UploadPath>,
) -> Result<Json<UploadState>, ApiError> {
    if let Ok(found) = find(&app, &person, &path.upload_id).await {
        let upload = match &found.announced.finished {
            Some(finished) => Some(item(&app, kept(&app, &person, &finished.upload_id).await?).await?),
            None => None,
        };
        return Ok(Json(UploadState::of(found, upload)));
    }
    // By the id that it has in its session, too.
    let upload = kept(&app, &person, &path.upload_id).await?;
    Ok(Json(UploadState {
        upload_id: path.upload_id,
        offset: upload.size,
        size: upload.size,
        complete: true,
        sha256: None,
        upload: Some(item(&app, upload).await?),
    }))
}

async fn go_on(
    State(app): State<App>,
    person: Person,
    At(path): At<UploadPath>,
    headers: HeaderMap,
    Piece(body): Piece,
) -> Result<Json<UploadState>, ApiError> {
    let from = number(&headers, OFFSET)
        .ok_or_else(|| ApiError::invalid("the header Upload-Offset must say how many bytes came before"))?;
    let found = find(&app, &person, &path.upload_id).await?;
    if found.announced.finished.is_some() {
        return Err(ApiError::conflict("finished", "this upload is finished already"));
    }
    let (held, found) = app.blocking(move || Ok((found.hold()?, found))).await?;
    let (there, size) = (found.offset(), found.announced.size);
    if from != there {
        return Err(ApiError::conflict("wrong_offset", format!("the upload has {there} bytes, not {from}"))
            .hint(format!("Go on with Upload-Offset: {there}.")));
    }
    // What is announced as too much need not be read.
    if number(&headers, header::CONTENT_LENGTH.as_str())
        .is_some_and(|length| length > size.saturating_sub(there))
    {
        return Err(too_much(size));
    }
    let mut file = tokio::fs::File::from_std(held);
    let room = Room { from: there, to: size };
    let offset = receive(&mut file, room, body.into_data_stream(), app.ending()).await?;
    if offset < size {
        return Ok(Json(UploadState::of(found, None)));
    }
    let held = file.into_std().await;
    let (finished, upload) = app.store(move |store| found.finish(held, store)).await?;
    let upload = item(&app, upload).await?;
    Ok(Json(UploadState::of(finished, Some(upload))))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

async fn give_up(
    State(app): State<App>,
    person: Person,
    At(path): At<UploadPath>,
) -> Result<Json<Success>, ApiError> {
    let Ok(found) = find(&app, &person, &path.upload_id).await else {
        kept(&app, &person, &path.upload_id).await?;
        return Err(finished());
    };
    if found.announced.finished.is_some() {
        return Err(finished());
    }
    app.blocking(move || {
        let _held = found.hold()?;
        found.remove();
        Ok(())
    })
    .await?;
    Ok(Json(Success::YES))
}

fn finished() -> ApiError {
    ApiError::conflict("finished", "this upload is finished: it is a file of its session")
        .hint("It is deleted together with its session.")
}

async fn one_shot(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Form(mut form): Form,
) -> Result<Json<UploadItem>, ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let broken = |error: axum::extract::multipart::MultipartError| match error.status() {
        axum::http::StatusCode::PAYLOAD_TOO_LARGE => too_much(MAX_UPLOAD),
        _ => ApiError::invalid(error.body_text()),
    };
    while let Some(field) = form.next_field().await.map_err(broken)? {
        if field.name() != Some("file") {
            continue;
        }
        let name = field.file_name().unwrap_or("file").to_owned();
        check_name(&name)?;
        let mime = field.content_type().filter(|mime| *mime != "application/octet-stream").map(str::to_owned);
        let (shot, file) = app.store(|store| OneShot::begin(&store.upload_place()?)).await?;
        let mut file = tokio::fs::File::from_std(file);
        let room = Room { from: 0, to: MAX_UPLOAD };
        let size = receive(&mut file, room, field, app.ending()).await?;
        let told = Announced {
            owner: person.user,
            session_id: session.id,
            name,
            size,
            mime,
            sha256: None,
            finished: None,
        };
        let file = file.into_std().await;
        let upload = app.store(move |store| shot.keep(file, &told, store)).await?;
        return Ok(Json(item(&app, upload).await?));
    }
    Err(ApiError::invalid("the form has no field `file`").hint("curl -F file=@NAME …"))
}

/// Bytes as they come.
struct Piece(RawBody);

impl<S: Send + Sync> FromRequest<S> for Piece {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        Ok(Self(request.into_body()))
    }
}

impl OperationInput for Piece {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        let bytes = json_schema!({"type": "string", "format": "binary"});
        set_body(ctx, operation, body_of("application/octet-stream", "The bytes.", bytes));
    }
}

/// A form with a file in it.
struct Form(Multipart);

impl FromRequest<App> for Form {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let form = Multipart::from_request(request, app).await;
        form.map(Self).map_err(|rejection| {
            ApiError::invalid(rejection.body_text())
                .hint("Send a form (multipart/form-data) with a field `file`: curl -F file=@NAME …")
        })
    }
}

impl OperationInput for Form {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        let form = json_schema!({
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        });
        set_body(ctx, operation, body_of("multipart/form-data", "A form with the file.", form));
    }
}

fn body_of(kind: &str, description: &str, schema: schemars::Schema) -> RequestBody {
    let schema = SchemaObject { json_schema: schema, external_docs: None, example: None };
    let media = MediaType { schema: Some(schema), ..MediaType::default() };
    RequestBody {
        description: Some(description.to_owned()),
        content: [(kind.to_owned(), media)].into_iter().collect(),
        required: true,
        extensions: [].into_iter().collect(),
    }
}
