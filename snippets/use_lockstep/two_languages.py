"""SQL in one SQLite database a page, and JavaScript under Node."""

import sqlite3
import subprocess

from lockstep.languages import Failed, Language
from lockstep.targets import Cpu


class Sql(Language):
    name, runs = "sql", True

    def run(self, block, setting):
        if "db" not in setting.namespace:
            setting.namespace["db"] = sqlite3.connect(":memory:")
        try:
            rows = [setting.namespace["db"].execute(s) for s in block.text.split(";") if s.strip()]
        except sqlite3.Error as error:
            raise Failed(f"{block.where}: {error}") from None
        return "".join(f"{' | '.join(map(str, row))}\n" for row in rows[-1])


class JavaScript(Language):
    name, lexer, runs, external = "js", "javascript", True, True

    def run(self, block, setting):
        command = ["node", "--input-type=module", "--eval", block.text]
        done = subprocess.run(command, cwd=setting.folder, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{block.where}: {done.stderr.strip()}")
        return done.stdout


def register(project):
    node = subprocess.run("node --version", shell=True, capture_output=True, text=True).stdout
    Cpu.also = {"sqlite": sqlite3.sqlite_version, "node": node.strip()}
    project.named += [("SELECT", "SQLite", "sqlite"), ("console.log", "Node", "node")]
    project.add(Sql(), JavaScript())
