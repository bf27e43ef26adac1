"""Load tools behind one interface: to cross-check our generator, and to show how tools lie."""

from __future__ import annotations

from lab.errors import did_you_mean
from lab.instruments.adapters.ab import Ab
from lab.instruments.adapters.artillery import Artillery
from lab.instruments.adapters.autocannon import Autocannon, AutocannonFixed
from lab.instruments.adapters.base import (
    Adapter,
    AdapterError,
    Capabilities,
    Capability,
    Figures,
    Presence,
    ToolFailed,
    ToolMissing,
    ToolResult,
    ToolSpec,
    UnreadableOutput,
    Unsupported,
)
from lab.instruments.adapters.double import Double
from lab.instruments.adapters.hey import Hey, HeyRows
from lab.instruments.adapters.ours import Ours, OursOpen
from lab.instruments.adapters.wrk import Wrk

ADAPTERS: dict[str, Adapter] = {
    adapter.name: adapter
    for adapter in (
        Ours(),
        OursOpen(),
        Wrk(),
        Hey(),
        HeyRows(),
        Ab(),
        Autocannon(),
        AutocannonFixed(),
        Artillery(),
    )
}


def adapter(name: str) -> Adapter:
    """The adapter of that name. Raises AdapterError with the nearest names."""
    if name not in ADAPTERS:
        raise AdapterError(f"There is no load tool {name!r}. {did_you_mean(name, ADAPTERS)}")
    return ADAPTERS[name]


def present() -> list[Adapter]:
    """The adapters whose tool is installed here, ours first."""
    return [candidate for candidate in ADAPTERS.values() if candidate.present()]


__all__ = [
    "ADAPTERS",
    "Adapter",
    "AdapterError",
    "Capabilities",
    "Capability",
    "Double",
    "Figures",
    "Presence",
    "ToolFailed",
    "ToolMissing",
    "ToolResult",
    "ToolSpec",
    "UnreadableOutput",
    "Unsupported",
    "adapter",
    "present",
]
