//! A file as an answer: always saved, never shown as a page of ours.

use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{MediaType, Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

/// A file for the asker to keep.
pub struct Attachment {
    pub name: String,
    pub mime: String,
    pub body: Body,
}

/// Whatever it is, nothing in it may run.
pub const NOTHING_RUNS: &str = "default-src 'none'; sandbox";

impl IntoResponse for Attachment {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_str(&self.mime);
        headers.insert(
            header::CONTENT_TYPE,
            kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
        );
        headers.insert(header::CONTENT_DISPOSITION, disposition(&self.name));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(NOTHING_RUNS));
        response
    }
}

/// `attachment` with the name as it is (RFC 6266), and one in plain letters for whoever cannot read that.
pub fn disposition(name: &str) -> HeaderValue {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

impl OperationOutput for Attachment {
    type Inner = Self;

    fn operation_response(_: &mut GenContext, _: &mut Operation) -> Option<ApiResponse> {
        let content = [("*/*".to_owned(), MediaType::default())].into_iter().collect();
        Some(ApiResponse { description: "The file.".to_owned(), content, ..ApiResponse::default() })
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        let response = Self::operation_response(ctx, operation);
        response.map(|response| (Some(ApiStatus::Code(200)), response)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        for (name, wanted) in [
            ("a b.txt", "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"),
            ("报告.pdf", "attachment; filename=\"__.pdf\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A.pdf"),
            (
                "x\"\r\nSet-Cookie: a",
                "attachment; filename=\"x___Set-Cookie_ a\"; filename*=UTF-8''x%22%0D%0ASet-Cookie%3A%20a",
            ),
        ] {
            assert_eq!(disposition(name), wanted);
        }
    }
}
