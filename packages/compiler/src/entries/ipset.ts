export type { Entry, IpSet, IpsetState, SetType } from '../dataplane/ipset/ast.js'
