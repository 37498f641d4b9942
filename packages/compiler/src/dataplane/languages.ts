import type { IpFamily } from '@kube-rules/types'
import { addressesLanguage } from './addresses/language.js'
import { ipsetLanguage } from './ipset/language.js'
import { iptablesLanguage } from './iptables/language.js'
import { ipvsLanguage } from './ipvs/language.js'
import type { Language } from './language.js'
import type { Fragment } from './netfilter/fragment.js'
import { nftablesLanguage } from './nftables/language.js'

/**
 * Every kernel language there is, in the order in which they are applied: rules refer to sets, and an address is served
 * before it is bound. What a later one leads to is withdrawn after it. `LIVE_LANGUAGES` has the other half of each.
 */
export const LANGUAGES: Languages = {
  nftables: nftablesLanguage,
  ipset: ipsetLanguage,
  ipvs: ipvsLanguage,
  addresses: addressesLanguage,
  iptables: iptablesLanguage,
}

/** The same as types. */
interface Languages {
  readonly nftables: typeof nftablesLanguage
  readonly ipset: typeof ipsetLanguage
  readonly ipvs: typeof ipvsLanguage
  readonly addresses: typeof addressesLanguage
  readonly iptables: typeof iptablesLanguage
}

/** As a union of words: whoever has values of the type need not know `Languages`. */
export type LanguageName = { [Name in keyof Languages]: Name }[keyof Languages]

/** What a language says that a node holds. */
export type StateOf<Name extends LanguageName> = Languages[Name] extends Language<infer State> ? State : never

/**
 * What a node holds of one address family, whoever says so: compiled, read from a dump, or put together of resources. A
 * language that is absent is one of which nothing is known or, in what was compiled, one that the mode does not speak.
 * With `fragment` it is a part of what a node holds, and that says which; without it, it is all of it.
 */
export type NodeState = { readonly family: IpFamily; readonly fragment?: Fragment | undefined } & {
  readonly [Name in LanguageName]?: StateOf<Name> | undefined
}
