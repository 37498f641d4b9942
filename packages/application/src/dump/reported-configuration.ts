import type { TextSource } from '../cluster/text-source.js'

/** Matches the configuration that kube-proxy on the node reports (`/configz`), in the output of `collect`. */
const REPORTED_CONFIGURATION = /^# kube-proxy configuration: (\{.{1,100000}\})$/m

/** Returns the output of `/configz` of kube-proxy on the node as a source; undefined if the text does not contain it. */
export function findReportedConfiguration({ name, text }: TextSource): TextSource | undefined {
  const found = REPORTED_CONFIGURATION.exec(text)?.[1]
  return found === undefined ? undefined : { name: `/configz on ${name}`, text: found }
}
