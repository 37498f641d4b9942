import { liveAddressesLanguage } from './addresses/live-language.js'
import { liveIpsetLanguage } from './ipset/live-language.js'
import { liveIptablesLanguage } from './iptables/live-language.js'
import { liveIpvsLanguage } from './ipvs/live-language.js'
import type { LanguageName } from './languages.js'
import type { LiveLanguage } from './live-language.js'
import { liveNftablesLanguage } from './nftables/live-language.js'

/** How each language of `LANGUAGES` deals with a node. */
export const LIVE_LANGUAGES: LiveLanguages = {
  nftables: liveNftablesLanguage,
  ipset: liveIpsetLanguage,
  ipvs: liveIpvsLanguage,
  addresses: liveAddressesLanguage,
  iptables: liveIptablesLanguage,
}

/** The same as types. */
interface LiveLanguages {
  readonly nftables: typeof liveNftablesLanguage
  readonly ipset: typeof liveIpsetLanguage
  readonly ipvs: typeof liveIpvsLanguage
  readonly addresses: typeof liveAddressesLanguage
  readonly iptables: typeof liveIptablesLanguage
}

/** What a comparison of a language finds fault with. */
export type ItemOf<Name extends LanguageName> =
  LiveLanguages[Name] extends LiveLanguage<infer _, infer Item> ? Item : never
