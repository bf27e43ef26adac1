"""Completion of a shell: the verbs of a home, the options of each verb, and files elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from lab.cli.commands import Commands, Parser

SHELLS = ("bash", "zsh")


def script(commands: Commands, shell: str) -> str:
    """Return the completion script of the program of these commands."""
    program = commands.home.program
    function = "_" + program.replace("-", "_")
    verbs = {name: _options(parser) for name, parser in commands.verbs.items()}
    choices = {name: _choices(parser) for name, parser in commands.verbs.items()}
    return (_bash if shell == "bash" else _zsh)(program, function, verbs, choices, commands)


def _options(parser: Parser) -> list[str]:
    names = (name for action in parser._actions for name in action.option_strings)
    return [name for name in names if name.startswith("--")]


def _choices(parser: Parser) -> list[str]:
    positional = (action for action in parser._actions if not action.option_strings)
    return [str(choice) for action in positional for choice in action.choices or ()]


def _words(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _bash(
    program: str,
    function: str,
    verbs: dict[str, list[str]],
    choices: dict[str, list[str]],
    _: Commands,
) -> str:
    cases = "\n".join(
        f"    {name}) options={_words(options)} words={_words(choices[name])} ;;"
        for name, options in verbs.items()
    )
    return f"""# Completion of {program} for bash.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options= words= position
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {_words([*verbs, "help", "--version", "--help"])} -- "$word"))
    return
  fi
  # What follows -- is the program's own command line.
  for ((position = 2; position < COMP_CWORD; position++)); do
    if [ "${{COMP_WORDS[position]}}" = -- ]; then
      COMPREPLY=($(compgen -c -f -- "$word"))
      return
    fi
  done
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
complete -F {function} {program}"""


def _zsh(
    program: str,
    function: str,
    verbs: dict[str, list[str]],
    choices: dict[str, list[str]],
    commands: Commands,
) -> str:
    summaries = "\n".join(
        f"    {shlex.quote(f'{verb.name}:{verb.summary}')}" for verb in commands.home.verbs
    )
    cases = "\n".join(
        f"    {name}) options=({' '.join(options)}) choices=({' '.join(choices[name])}) ;;"
        for name, options in verbs.items()
    )
    return f"""#compdef {program}
# Completion of {program} for zsh.
{function}() {{
  local -a verbs options choices
  local position
  verbs=(
{summaries}
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  # What follows -- is the program's own command line.
  for (( position = 3; position < CURRENT; position++ )); do
    if [[ ${{words[position]}} == -- ]]; then
      words=("${{(@)words[position+1,-1]}}")
      (( CURRENT -= position ))
      _normal
      return
    fi
  done
  case ${{words[2]}} in
{cases}
  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    compadd -- $options
  else
    compadd -- $choices
    _files
  fi
}}
if [[ ${{funcstack[1]}} == {function} ]]; then
  {function} "$@"
else
  compdef {function} {program}
fi"""
