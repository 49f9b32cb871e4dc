//! The OpenAPI document, made from the functions that answer, and the router that it belongs to.

use std::sync::Arc;

use aide::{
    axum::ApiRouter,
    openapi::{Info, OpenApi, SecurityScheme, Tag},
    transform::TransformOpenApi,
};
use axum::{
    Extension, Json, Router,
    extract::DefaultBodyLimit,
    http::{Method, StatusCode, Uri},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};

use super::{
    app::App,
    door::{self, Door},
    error::ApiError,
    metrics, page, routes,
};

/// Everything that the server answers, and with it what else is to be behind the same door.
pub fn router(app: App, beside: Router<App>) -> Router {
    let mut api = OpenApi::default();
    let routed = documented(&mut api);
    routed
        .merge(beside)
        .route("/api/openapi.json", get(show))
        .method_not_allowed_fallback(not_allowed)
        .fallback(page::serve)
        .layer(Extension(Arc::new(api)))
        .layer(DefaultBodyLimit::max(routes::MOST_JSON_BYTES))
        .layer(middleware::from_fn_with_state(app.door().clone(), door::pass))
        .layer(middleware::from_fn_with_state(app.clone(), metrics::measure))
        .with_state(app)
}

/// The browser's routes alone, behind a door of their own.
pub fn browser_router(app: App, door: Door) -> Router {
    let routed: Router<App> =
        ApiRouter::new().merge(routes::health::routes()).merge(routes::browser::routes()).into();
    routed
        .method_not_allowed_fallback(not_allowed)
        .fallback(nothing_else)
        .layer(DefaultBodyLimit::max(routes::MOST_JSON_BYTES))
        .layer(middleware::from_fn_with_state(door, door::pass))
        .layer(middleware::from_fn_with_state(app.clone(), metrics::measure))
        .with_state(app)
}

async fn nothing_else(uri: Uri) -> ApiError {
    ApiError::not_found(format!("there is no {} on this port", uri.path())).hint(
        "Here are only POST /api/browser/… and GET /healthz; everything else is on the server's own address.",
    )
}

/// The document alone.
pub fn document() -> OpenApi {
    let mut api = OpenApi::default();
    let _: Router<App> = documented(&mut api);
    api
}

fn documented(api: &mut OpenApi) -> Router<App> {
    aide::generate::extract_schemas(true);
    aide::generate::infer_responses(true);
    ApiRouter::new().merge(routes::all()).finish_api_with(api, describe)
}

fn describe(api: TransformOpenApi<'_>) -> TransformOpenApi<'_> {
    let mut api = api.security_scheme("token", bearer());
    let document = api.inner_mut();
    document.info = Info {
        title: "Deskhand".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        summary: Some("Safe hands on a computer for any language model".to_owned()),
        ..Info::default()
    };
    document.security = vec![[("token".to_owned(), Vec::new())].into_iter().collect()];
    document.tags = routes::TAGS
        .iter()
        .map(|(name, about)| Tag {
            name: (*name).to_owned(),
            description: Some((*about).to_owned()),
            ..Tag::default()
        })
        .collect();
    api
}

fn bearer() -> SecurityScheme {
    SecurityScheme::Http {
        scheme: "bearer".to_owned(),
        bearer_format: None,
        description: Some("The token in the address that the server printed".to_owned()),
        extensions: [].into_iter().collect(),
    }
}

/// A route that is there, and not for this method.
async fn not_allowed(method: Method, uri: Uri) -> Response {
    let path = uri.path();
    let message = format!("there is no {method} {path}");
    let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
        .hint("The header Allow says by which methods it can be asked.");
    if path.starts_with("/v1/") { routes::openai::refuse(error) } else { error.into_response() }
}

async fn show(Extension(api): Extension<Arc<OpenApi>>) -> Json<OpenApi> {
    Json(api.as_ref().clone())
}
