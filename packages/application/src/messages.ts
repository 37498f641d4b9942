export { formatDiagnosticLines, formatVerificationLines } from './messages/diagnostic-lines.js'
export { getSystemErrorCode, getSystemErrorReason, InputError, UsageError } from './messages/errors.js'
export { formatCount, formatFailureLines, formatMessageLine, printJsonDocument } from './messages/lines.js'
