"""Deskhand as the official Python SDK meets it, over stdio and over streamable HTTP, in each revision.

$DESKHAND_BIN is the program. Every test has a desk of its own: a workspace and a data folder.
"""

import asyncio
import json
import logging
import os
import shutil
import subprocess
import tempfile
import unittest
import warnings
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import jsonschema
import mcp_types as types
from mcp import Client, MCPDeprecationWarning, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAM = os.environ["DESKHAND_BIN"]
# Only a bound: nothing is measured with it.
PATIENCE = 30


class Desk:
    def __init__(self):
        # The real path, since tools answer with it.
        self.place = Path(tempfile.mkdtemp(prefix="deskhand-mcp-")).resolve()
        self.workspace = self.place / "workspace"
        self.workspace.mkdir()
        (self.place / "home").mkdir()
        (self.workspace / "notes.txt").write_text("milk\nbread\n")
        # With the data of every tool, which is checked against its schema.
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.place / "home"),
            "LC_ALL": "C.UTF-8",
            "DESKHAND_MCP_STRUCTURED_CONTENT": "true",
        }
        self.server = None

    def args(self, *words):
        return [*words, "--data-dir", str(self.place / "data"), "--workspace", str(self.workspace)]

    def stdio(self, *more):
        return StdioServerParameters(command=PROGRAM, args=self.args("mcp", *more), env=self.env, cwd=self.workspace)

    def command(self, *words):
        done = subprocess.run(
            [PROGRAM, *self.args("--json", *words)], env=self.env, cwd=self.workspace, capture_output=True, check=True, timeout=PATIENCE
        )
        return json.loads(done.stdout)

    def records(self, tool, phase):
        return [r for r in self.command("audit")["records"] if r["tool_name"] == tool and r["phase"] == phase]

    def serve(self):
        self.server = subprocess.Popen(
            [PROGRAM, *self.args("serve", "--listen", "127.0.0.1:0", "--json")],
            env=self.env, cwd=self.workspace, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return json.loads(self.server.stdout.readline())

    def clear(self):
        if self.server:
            self.server.terminate()
            self.server.wait(PATIENCE)
            self.server.stdout.close()
        shutil.rmtree(self.place, ignore_errors=True)


def agreeing(field):
    """The value of a field of a question that allows what is asked, once."""
    values = field.get("enum") or [choice["const"] for choice in field.get("oneOf", [])]
    if values:
        return next((v for v in values if v.startswith(("yes", "allow", "approve", "accept", "once"))), values[0])
    return True if field["type"] == "boolean" else field.get("default", "" if field["type"] == "string" else 0)


class Person:
    """Somebody who is asked, and says always the same, after some seconds."""

    def __init__(self, action, after=0):
        self.action = action
        self.after = after
        self.questions = []

    async def __call__(self, _context, params):
        self.questions.append(params.message)
        await asyncio.sleep(self.after)
        if self.action != "accept":
            return types.ElicitResult(action=self.action)
        fields = params.requested_schema.get("properties", {})
        return types.ElicitResult(action="accept", content={name: agreeing(field) for name, field in fields.items()})


async def until(what, look):
    """Looks again until there is something."""
    for _ in range(PATIENCE * 20):
        if found := await asyncio.to_thread(look):
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"waited in vain: {what}")


async def every(listing, key):
    """All pages of a list."""
    entries, cursor = [], None
    while True:
        page = await listing(cursor=cursor)
        entries += getattr(page, key)
        if not (cursor := page.next_cursor):
            return entries


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


class Case(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        # Logging is deprecated in the newest revision; that it still answers is what is tested.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        # unittest has asyncio tell of every step that took long.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        self.desk = Desk()
        self.addCleanup(self.desk.clear)


class OverStdio:
    async def test_says_who_it_is(self):
        async with Client(self.desk.stdio(), mode=self.mode) as client:
            self.assertEqual(client.server_info.name, "deskhand")
            self.assertEqual(client.protocol_version, self.revision)
            for one in ["tools", "resources", "prompts", "completions", "logging"]:
                self.assertIsNotNone(getattr(client.server_capabilities, one), one)

    async def test_lists_and_reads_with_structured_content(self):
        async with Client(self.desk.stdio("--full-schemas"), mode=self.mode) as client:
            tools = {tool.name: tool for tool in await every(client.list_tools, "tools")}
            for tool in tools.values():
                jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            result = await client.call_tool("read_file", {"path": "notes.txt"})
            self.assertFalse(result.is_error, text(result))
            self.assertEqual(result.structured_content["content"], "milk\nbread\n")
            self.assertIn("content", tools["read_file"].output_schema["properties"])
            jsonschema.validate(result.structured_content, tools["read_file"].output_schema)
            self.assertTrue(tools["read_file"].annotations.read_only_hint)
            missing = await client.call_tool("read_file", {"path": "note.txt"})
            self.assertTrue(missing.is_error)
            self.assertIn("note.txt", text(missing))

    async def test_writes_after_a_yes_and_only_then(self):
        # A question that is closed in less than half a second was read by nobody, so that is no answer.
        for action, after, written in [("accept", 0, True), ("decline", 0, False), ("cancel", 0.6, False)]:
            with self.subTest(action=action):
                name = f"{self.mode}-{action}.txt"
                person = Person(action, after)
                async with Client(self.desk.stdio(), mode=self.mode, elicitation_callback=person) as client:
                    result = await client.call_tool("write_file", {"path": name, "content": "eggs\n"})
                self.assertEqual(result.is_error or False, not written, text(result))
                self.assertEqual(len(person.questions), 1)
                self.assertIn(name, person.questions[0])
                self.assertEqual((self.desk.workspace / name).exists(), written)

    async def test_a_question_closed_at_once_is_answered_by_another_surface(self):
        name, person = f"{self.mode}.txt", Person("cancel")
        async with Client(self.desk.stdio(), mode=self.mode, elicitation_callback=person) as client:
            call = asyncio.create_task(client.call_tool("write_file", {"path": name, "content": "eggs\n"}))
            question = (await until("a question", lambda: self.desk.command("approvals")["approvals"]))[0]
            await until("the client was asked", lambda: person.questions)
            await asyncio.to_thread(self.desk.command, "approvals", "answer", question["id"], "yes")
            self.assertFalse((await call).is_error, text(await call))
        self.assertEqual(len(person.questions), 1)
        self.assertEqual((self.desk.workspace / name).read_text(), "eggs\n")

    async def test_a_question_closed_at_once_expires_where_nobody_answers(self):
        self.desk.env["DESKHAND_APPROVAL_TIMEOUT_S"] = "1"
        name = f"{self.mode}.txt"
        async with Client(self.desk.stdio(), mode=self.mode, elicitation_callback=Person("cancel")) as client:
            result = await client.call_tool("write_file", {"path": name, "content": "eggs\n"})
        self.assertTrue(result.is_error)
        self.assertRegex(text(result), r"^\[expired\]")
        self.assertIn("deskhand approvals", text(result))
        self.assertFalse((self.desk.workspace / name).exists())

    async def test_waits_with_progress_while_another_surface_answers(self):
        name, steps = f"{self.mode}.txt", []

        async def progress(step, _total, _message):
            steps.append(step)

        async with Client(self.desk.stdio(), mode=self.mode) as client:
            call = asyncio.create_task(
                client.call_tool("write_file", {"path": name, "content": "eggs\n"}, progress_callback=progress)
            )
            question = (await until("a question", lambda: self.desk.command("approvals")["approvals"]))[0]
            await until("progress", lambda: steps)
            self.assertFalse((self.desk.workspace / name).exists())
            await asyncio.to_thread(self.desk.command, "approvals", "answer", question["id"], "yes")
            self.assertFalse((await call).is_error)
        self.assertEqual((self.desk.workspace / name).read_text(), "eggs\n")
        self.assertEqual(steps, sorted(set(steps)))

    async def test_a_cancelled_call_ends_and_the_next_is_answered(self):
        async with Client(self.desk.stdio(), mode=self.mode) as client:
            call = asyncio.create_task(client.call_tool("bash", {"command": "sleep 600"}))
            await until("it arrived", lambda: self.desk.records("bash", "arrival"))
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            ends = await until("it ended", lambda: self.desk.records("bash", "end"))
            self.assertEqual(ends[0]["status"], "cancelled")
            self.assertIn("milk", text(await client.call_tool("read_file", {"path": "notes.txt"})))

    async def test_resources_prompts_completion(self):
        skill = self.desk.place / "data" / "skills" / "greet"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text("---\nname: greet\ndescription: Greets somebody\n---\nSay hello to {{who}}.\n")
        async with Client(self.desk.stdio(), mode=self.mode) as client:
            resources = await every(client.list_resources, "resources")
            notes = next(r.uri for r in resources if str(r.uri).endswith("/notes.txt"))
            self.assertEqual((await client.read_resource(notes)).contents[0].text, "milk\nbread\n")
            outside = str(notes).replace("workspace/notes.txt", "data/deskhand.db")
            with self.assertRaises(Exception):
                await client.read_resource(outside)
            self.assertEqual([prompt.name for prompt in await every(client.list_prompts, "prompts")], ["greet"])
            greeting = await client.get_prompt("greet", {"who": "Ada"})
            self.assertEqual(greeting.messages[0].content.text.strip(), "Say hello to Ada.")
            templates = await every(client.list_resource_templates, "resource_templates")
            files = next(t.uri_template for t in templates if "path" in t.uri_template)
            template = types.ResourceTemplateReference(uri=files)
            # As it stands in the address: absolute, without the first slash.
            start = str(self.desk.workspace)[1:]
            found = await client.complete(template, {"name": "path", "value": f"{start}/no"})
            self.assertEqual(found.completion.values, [f"{start}/notes.txt"])

    async def test_logs_at_the_level_that_was_asked_for(self):
        logs = []

        async def logged(params):
            logs.append(params)

        more = {"elicitation_callback": Person("accept"), "logging_callback": logged}
        # The newest revision asks for it with each request.
        level = None if self.mode == "legacy" else "debug"
        async with Client(self.desk.stdio(), mode=self.mode, log_level=level, **more) as client:
            if self.mode == "legacy":
                await client.set_logging_level("debug")
            await client.call_tool("write_file", {"path": "new.txt", "content": ""})
            await until("something was logged", lambda: logs)


class OverHttp:
    def setUp(self):
        super().setUp()
        self.statuses = []

    async def seen(self, response):
        self.statuses.append(response.status_code)

    @asynccontextmanager
    async def client(self, served, token, **more):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        hooks = {"response": [self.seen]}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE, event_hooks=hooks) as http:
            async with Client(streamable_http_client(served["mcp_url"], http_client=http), **more) as client:
                yield client

    async def test_lists_calls_and_asks(self):
        served = self.desk.serve()
        self.assertEqual(urlsplit(served["mcp_url"]).hostname, "127.0.0.1")
        for action, written in [("accept", True), ("decline", False)]:
            with self.subTest(action=action):
                name = f"{self.mode}-{action}.txt"
                person = Person(action)
                async with self.client(served, served["mcp_token"], mode=self.mode, elicitation_callback=person) as client:
                    self.assertIn("read_file", {tool.name for tool in await every(client.list_tools, "tools")})
                    read = await client.call_tool("read_file", {"path": "notes.txt"})
                    self.assertEqual(read.structured_content["content"], "milk\nbread\n")
                    await client.call_tool("write_file", {"path": name, "content": "eggs\n"})
                self.assertEqual(len(person.questions), 1)
                self.assertEqual((self.desk.workspace / name).exists(), written)

    async def test_a_wrong_token_and_none_are_refused(self):
        served = self.desk.serve()
        for token in ["wrong", None]:
            with self.subTest(token=token):
                self.statuses.clear()
                with self.assertRaises(Exception):
                    async with self.client(served, token, mode=self.mode) as client:
                        await client.list_tools()
                self.assertEqual(set(self.statuses), {401})


class WithInitialize:
    mode, revision = "legacy", "2025-11-25"


class Stateless:
    # Asks with `server/discover` what the server speaks, and takes the newest.
    mode, revision = "auto", "2026-07-28"


class StdioWithInitialize(WithInitialize, OverStdio, Case):
    pass


class StdioStateless(Stateless, OverStdio, Case):
    pass


class HttpWithInitialize(WithInitialize, OverHttp, Case):
    pass


class HttpStateless(Stateless, OverHttp, Case):
    pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
