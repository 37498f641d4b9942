export type {
  ConntrackEntriesToIp,
  ConntrackEntriesToPort,
  ConntrackEntriesToPortWithNat,
  ConntrackEntriesWithNat,
  ConntrackEntryFields,
  ConntrackEntryFilter,
} from '../dataplane/conntrack/ast.js'
export { deletionArguments, filterText } from '../dataplane/conntrack/print.js'
export { conntrackFilter } from '../targets/shared/conntrack-filter.js'
