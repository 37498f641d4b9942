import type { DumpSection } from '../../../../analyzer/src/dataplane/netfilter/dump-section.js'

/** Builds the lines that a subsystem receives from a dump. */
export function dumpLines(text: string): readonly DumpSection[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((source, index) => ({ source, text: 0, line: index + 1, family: undefined }))
}
