// Which statuses say that a service cannot handle a call now, so that a program may try again.
"use strict";
exports.isFailure = (status) => status >= 500 || status === 429;
