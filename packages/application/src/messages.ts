export { diagnosticLines, verificationLines } from './messages/diagnostic-lines.js'
export { InputError, systemCode, systemReason, UsageError } from './messages/errors.js'
export { count, failureLines, jsonDocument, messageLine } from './messages/lines.js'
