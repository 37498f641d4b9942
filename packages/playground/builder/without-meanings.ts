import type { Plugin } from 'vite'

/** A list of meanings. Brackets in its texts do not end it. */
const MEANINGS = /\bmeanings: \[(?:[^\]'"]|'[^'\n]*'|"[^"\n]*")*\]/g

/** The fields of a statement of nftables that describe it. Without them, the minifier leaves out their texts. */
const DESCRIPTION = /,\s*example,\s*decision,\s*reason\s*(?=\})/

/**
 * Leaves out the meanings of iptables matches and targets, and of statements of nftables, which only the reference
 * documentation prints.
 */
export function withoutMeanings(): Plugin {
  return {
    name: 'without-meanings',
    apply: 'build',
    transform: (code, id) => {
      if (id.includes('/dataplane/iptables/program/'))
        return { code: code.replace(MEANINGS, 'meanings: []'), map: null }
      return id.endsWith('/nftables/program/statement-rows.ts')
        ? { code: code.replace(DESCRIPTION, ''), map: null }
        : undefined
    },
  }
}
