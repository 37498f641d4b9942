import type { DumpLines } from '../../../../analyzer/src/dataplane/netfilter/dump-lines.js'

/** Builds the lines that a subsystem receives from a dump. */
export function dumpLines(text: string): readonly DumpLines[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((source, index) => ({ source, text: 0, line: index + 1, family: undefined }))
}
