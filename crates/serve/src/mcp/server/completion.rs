//! Completion of what a person types: paths of the workspace, ids of conversations.

use std::path::Path;

use deskhand_guard::paths::show_name;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use serde_json::json;

use super::{
    McpServer,
    asker::Asker,
    resources::{self, FILE_TEMPLATE, SESSION_TEMPLATE},
    uri,
};

impl McpServer {
    pub(super) async fn completed(
        &self,
        params: &CompleteRequestParams,
        asker: &Asker,
    ) -> Result<CompleteResult, ErrorData> {
        let (template, argument) = match &params.r#ref {
            Reference::Resource(resource) => (resource.uri.as_str(), params.argument.name.as_str()),
            // Nobody knows what a skill's arguments may be.
            _ => return Ok(CompleteResult::default()),
        };
        let start = params.argument.value.as_str();
        let mut values = match (template, argument) {
            (FILE_TEMPLATE, "path") => self.paths_like(start, asker).await?,
            (SESSION_TEMPLATE, "id") => resources::session_ids(self, asker, start).await?,
            _ => Vec::new(),
        };
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total > values.len();
        let total = u32::try_from(total).ok();
        let info = CompletionInfo::with_pagination(values, total, has_more)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    /// Paths that begin like this, as they stand in the address of a file: absolute, without the first slash. Only
    /// workspaces are looked into.
    async fn paths_like(&self, start: &str, asker: &Asker) -> Result<Vec<String>, ErrorData> {
        let paths = self.paths(asker).await?;
        let workspaces: Vec<String> = paths.workspaces().map(told).collect();
        let is_inside = workspaces.iter().any(|root| start.starts_with(&format!("{root}/")));
        if !is_inside {
            return Ok(workspaces.into_iter().filter(|root| root.starts_with(start)).collect());
        }
        let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(real) = uri::Named::read(&format!("file:///{folder}")) else { return Ok(Vec::new()) };
        let uri::Named::File(real) = real else { return Ok(Vec::new()) };
        // Dots lead out of what the words begin with; the names of folders that hold them are not completed.
        if real.components().any(|part| matches!(part, std::path::Component::ParentDir)) {
            return Ok(Vec::new());
        }
        let wanted = json!({"path": show_name(real.as_os_str()), "limit": 1000});
        let outcome = self.quietly("list_dir", wanted, asker).await?;
        let is_here = |path: &Path| paths.workspaces().any(|root| path.starts_with(root));
        let listed = outcome.data["path"].as_str().is_some_and(|path| is_here(Path::new(path)));
        if !outcome.is_success() || !listed {
            return Ok(Vec::new());
        }
        let entries = outcome.data["entries"].as_array().cloned().unwrap_or_default();
        let names = entries.iter().filter_map(|entry| {
            let name = Path::new(entry["path"].as_str()?).file_name()?;
            let slash = if entry["kind"] == "folder" { "/" } else { "" };
            Some(format!("{folder}/{}{slash}", uri::escaped(Path::new(name))))
        });
        Ok(names.filter(|path| path.starts_with(start)).collect())
    }
}

fn told(path: &Path) -> String {
    uri::escaped(path).trim_start_matches('/').to_owned()
}
