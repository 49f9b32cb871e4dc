//! Prompts: the skills, as far as a client can use them by itself. They are the owner's of this installation; other
//! users have none.

mod skill;

use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

use self::skill::Skill;
use super::{McpServer, asker::Asker};

const PAGE: usize = 100;

impl McpServer {
    pub(super) async fn prompts(
        &self,
        cursor: Option<&str>,
        asker: &Asker,
    ) -> Result<ListPromptsResult, ErrorData> {
        let skills = self.skills(asker).await?;
        let start = match cursor {
            None => 0,
            Some(text) => match text.parse::<usize>() {
                Ok(at) if at < skills.len() => at,
                _ => return Err(ErrorData::invalid_params(format!("there is no page {text:?}"), None)),
            },
        };
        let end = skills.len().min(start + PAGE);
        let mut page = ListPromptsResult::with_all_items(skills[start..end].iter().map(as_listed).collect());
        page.next_cursor = (end < skills.len()).then(|| end.to_string());
        Ok(page)
    }

    pub(super) async fn prompt(
        &self,
        params: &GetPromptRequestParams,
        asker: &Asker,
    ) -> Result<GetPromptResult, ErrorData> {
        let skills = self.skills(asker).await?;
        let found = skills.into_iter().find(|skill| skill.name == params.name);
        let no_such = || ErrorData::invalid_params(format!("there is no prompt {:?}", params.name), None);
        let skill = found.ok_or_else(no_such)?;
        let given = params.arguments.clone().unwrap_or_default();
        let missing: Vec<&str> = skill
            .arguments
            .iter()
            .filter(|argument| argument.required && !given.contains_key(&argument.name))
            .map(|argument| argument.name.as_str())
            .collect();
        if !missing.is_empty() {
            let message = format!("{} needs {}", skill.name, missing.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        }
        let given = given.into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
        let text = skill.filled_in(&given.collect::<Vec<_>>());
        let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
        Ok(result.with_description(skill.description))
    }

    async fn skills(&self, asker: &Asker) -> Result<Vec<Skill>, ErrorData> {
        if asker.client.owner().is_some() {
            return Ok(Vec::new());
        }
        let folder = self.parts().program.skills();
        let read = tokio::task::spawn_blocking(move || skill::all(&folder)).await;
        read.map_err(|error| ErrorData::internal_error(format!("the skills cannot be read: {error}"), None))
    }
}

fn as_listed(skill: &Skill) -> Prompt {
    let arguments = skill.arguments.iter().map(|argument| {
        let mut listed = PromptArgument::new(&argument.name).with_required(argument.required);
        listed.description.clone_from(&argument.description);
        listed
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    Prompt::new(&skill.name, Some(&skill.description), (!arguments.is_empty()).then_some(arguments))
}
