"""A memory in a temporary folder, and a project to index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.codebase.memory import CodebaseMemory, open_memory

FILES = {
    "src/Vault.sol": "contract Vault {\n    uint256 total;\n\n    /// Pays out what was deposited.\n"
    "    function withdrawAll(address to) external {\n        total = 0;\n    }\n}\n",
    "src/auth.py": "def verify_token(token):\n    return token == 'x'\n\n\n"
    "class Session:\n    def close(self):\n        pass\n",
    "src/parser.ts": "export function parseHttpHeader(line: string): string[] {\n  return line.split(':');\n}\n",
    "README.md": "not code\n",
    ".gitignore": "generated/\n*.min.js\n",
    "generated/a.py": "def generated(): pass\n",
    "web/x.min.js": "function minified() {}\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def memory(tmp_path: Path) -> CodebaseMemory:
    return open_memory(tmp_path / "state" / "codebases.sqlite")
