export { type Cause, createDoctor, type Doctor, type DoctorReport, type UnreadNode } from './doctor/causes.js'
export { formatNames } from './doctor/format-names.js'
export { type NodeDiagnostic, nameNodes } from './doctor/node-diagnostics.js'
export { type DoctorContext, printDoctorJson, printDoctorReport } from './doctor/print-report.js'
