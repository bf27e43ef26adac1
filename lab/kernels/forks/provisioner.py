"""How a build starts kernels: as Jupyter does, only that those in Python are forked."""

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
    """Starts the fork server with the first kernel, whichever that is."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Tell the kernel where the server is: the bridge of a JavaScript one asks it, too."""
        if self.parent is not None:
            self.parent.ip = own_address()
        kwargs = await super().pre_launch(**kwargs)
        # Of a build that this one runs in: its server may end before us.
        kwargs["env"] = {k: v for k, v in kwargs["env"].items() if k != forks.ADDRESS}
        server = _running()
        if server is None:
            return kwargs
        # Nothing is imported while something is measured. A replay measures nothing, and its
        # kernels can as well wait where they are.
        mode = kwargs["env"].get("LAB_MODE") or settings.mode()
        if mode == "replay" or await asyncio.to_thread(server.wait):
            kwargs["env"] = {**kwargs["env"], forks.ADDRESS: server.address}
        return kwargs

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Have a Python kernel forked; any other is started as it says."""
        address = kwargs["env"].get(forks.ADDRESS)
        if address and cmd[:3] == KERNEL:
            cmd = [sys.executable, "-I", "-S", str(forks.HERE / "ask.py"), address, *cmd[2:]]
        return await super().launch_kernel(cmd, **kwargs)


def use() -> None:
    """Start this process's kernels so from now on, until `let_go`; changes nothing on macOS."""
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
    """Return the server; None where it cannot be started."""
    global _server  # noqa: PLW0603
    with _lock:
        if _server is None or not _server.alive:
            if _server is not None:
                _server.close()  # it was killed, and left its folder
                _server = None
            try:
                _server = forks.server()
            except OSError:  # such as a folder for temporary files with a very long name
                return None
        return _server


atexit.register(let_go)
