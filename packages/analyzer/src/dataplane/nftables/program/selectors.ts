import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { HEADER_SELECTORS } from './header-selectors.js'
import { OTHER_SELECTORS } from './other-selectors.js'
import type { SelectorRow } from './selector-row.js'

/** The selectors of nft(8), with their meaning for the first packet of a connection. */
export const SELECTOR_ROWS: readonly SelectorRow[] = [...HEADER_SELECTORS, ...OTHER_SELECTORS]

const rowsBySelector = createLazyGetter(() => new Map(SELECTOR_ROWS.map((row) => [row.selector, row])))

/** Finds a selector by its words, such as `tcp dport`. */
export function findSelectorRow(selector: string): SelectorRow | undefined {
  return rowsBySelector().get(selector)
}
