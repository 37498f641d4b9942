export { type Cause, createDoctor, type Doctor, type DoctorReport, type UnreadNode } from './doctor/causes.js'
export { type DoctorContext, printDoctorJson, printDoctorReport } from './doctor/print-report.js'
