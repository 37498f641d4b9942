export { ipvsSets } from '../commands/ipvs-versions.js'
export type {
  Entry,
  EntryContribution,
  EntryKind,
  EntryOptions,
  EntryValue,
  HashSet,
  HashSetType,
  IpEntry,
  IpPortEntry,
  IpPortIpEntry,
  IpPortNetEntry,
  IpSet,
  IpsetState,
  PortBitmap,
  PortEntry,
  SetDefinition,
  SetFamily,
  SetType,
  UnknownEntry,
  UnknownSet,
} from '../dataplane/ipset/ast.js'
export { canonical } from '../dataplane/ipset/canonical.js'
export { checkIpset } from '../dataplane/ipset/check.js'
export { entryText, parseEntry } from '../dataplane/ipset/entries.js'
export { printRestore, printSave } from '../dataplane/ipset/print.js'
export type { IpvsSet } from '../targets/ipvs/sets.js'
