import type { Plugin } from 'vite'

/** A list of meanings. Brackets in its texts do not end it. */
const MEANINGS = /\bmeanings: \[(?:[^\]'"]|'[^'\n]*'|"[^"\n]*")*\]/g

/** Leaves out the meanings of iptables matches and targets, which only the reference documentation prints. */
export function withoutMeanings(): Plugin {
  return {
    name: 'without-meanings',
    apply: 'build',
    transform: (code, id) =>
      id.includes('/dataplane/iptables/program/')
        ? { code: code.replace(MEANINGS, 'meanings: []'), map: null }
        : undefined,
  }
}
