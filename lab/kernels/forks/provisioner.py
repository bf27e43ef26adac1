"""How a build starts kernels: as Jupyter does, but Python kernels are forked."""

from __future__ import annotations

import asyncio
import atexit
import sys
import threading
from importlib.metadata import EntryPoint
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from lab import settings
from lab.kernels import forks
from lab.kernels.own_address import own_address

KERNEL = [sys.executable, "-m", "ipykernel_launcher"]
USUAL, OURS = "local-provisioner", "lab-forks"
_lock = threading.Lock()
_server: forks.ForkServer | forks.Kept | None = None


class Provisioner(LocalProvisioner):
    """A provisioner of kernels. The first kernel that it starts also starts the fork server."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Give the server's address to the kernel, or to the bridge of a JavaScript kernel."""
        if self.parent is not None:
            self.parent.ip = own_address()
        kwargs = await super().pre_launch(**kwargs)
        # The address in our environment is that of an outer build, whose server may end before us.
        kwargs["env"] = {k: v for k, v in kwargs["env"].items() if k != forks.ADDRESS}
        server = _running()
        if server is None:
            return kwargs
        # Nothing may be imported while a program is measured, so we wait for the server here. A
        # replay measures nothing, and its kernels can wait for the server where they are.
        mode = kwargs["env"].get("LAB_MODE") or settings.mode()
        if mode == "replay" or await asyncio.to_thread(server.wait):
            kwargs["env"] = {**kwargs["env"], forks.ADDRESS: server.address}
        return kwargs

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Let the server fork a Python kernel. Start any other kernel by its command."""
        address = kwargs["env"].get(forks.ADDRESS)
        if address and cmd[:3] == KERNEL:
            cmd = [sys.executable, "-I", "-S", str(forks.HERE / "ask.py"), address, *cmd[2:]]
        return await super().launch_kernel(cmd, **kwargs)


def use() -> None:
    """Let this process start its kernels through the fork server, until `let_go`. On macOS nothing
    changes.
    """
    if forks.POSSIBLE:
        factory = KernelProvisionerFactory.instance()
        factory.provisioners[OURS] = EntryPoint(
            OURS, f"{__name__}:{Provisioner.__name__}", factory.GROUP_NAME
        )
        factory.default_provisioner_name = OURS


def let_go() -> None:
    """Start kernels as usual again, and end the server."""
    global _server  # noqa: PLW0603 - one per process is the point
    if forks.POSSIBLE:
        KernelProvisionerFactory.instance().default_provisioner_name = USUAL
    with _lock:
        if _server is not None:
            _server.close()
            _server = None


def _running() -> forks.ForkServer | forks.Kept | None:
    """Return the server, or None if it cannot be started."""
    global _server  # noqa: PLW0603
    with _lock:
        if _server is None or not _server.alive:
            if _server is not None:
                _server.close()  # the server was killed, so its folder is still there
                _server = None
            try:
                _server = forks.server()
            except OSError:  # such as a folder for temporary files with a very long name
                return None
        return _server


atexit.register(let_go)
