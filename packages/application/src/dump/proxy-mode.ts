import { type CompileResult, listModes, type ProxyMode } from '@kube-rules/compiler'
import type { TextSource } from '../cluster/text-source.js'

/** Matches the mode that kube-proxy on the node reports (`/proxyMode`), in the output of `collect`. */
const REPORTED_MODE = /^# kube-proxy mode: (\w{1,20})$/m

/** Returns the mode that kube-proxy on the node reports; undefined if the texts do not contain it. */
export function findReportedMode(sources: readonly Pick<TextSource, 'text'>[]): ProxyMode | undefined {
  const [found] = sources.flatMap(({ text }) => REPORTED_MODE.exec(text)?.[1] ?? [])
  return listModes().find((mode) => mode === found)
}

/** Returns a warning if kube-proxy on the node reports another mode than the mode of the computed rules. */
export function formatReportedMode(sources: readonly TextSource[], { mode }: CompileResult): readonly string[] {
  const reported = findReportedMode(sources)
  if (reported === undefined || reported === mode) return []
  return [
    `warning: kube-proxy on the node runs in ${reported} mode, but the computed rules are of ${mode} mode; --mode ${reported} computes its rules`,
  ]
}
