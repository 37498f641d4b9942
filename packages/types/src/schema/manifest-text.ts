import { findAliasExpansion } from './expanded-aliases.js'

/**
 * A function that parses a text of one or more YAML documents. It returns an array if there are several documents, and
 * may throw.
 */
export type YamlParser = (text: string) => unknown

export type ManifestTextResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

/** Parses text as JSON or, with a YAML parser, as YAML. Omits empty YAML documents. */
export function readManifestText(text: string, parseYaml: YamlParser | undefined): ManifestTextResult {
  const json = attempt(() => JSON.parse(text))
  if (json.ok) return json
  // The message of the JSON parser is not used, because it differs between runtimes.
  if (parseYaml === undefined)
    return { ok: false, message: 'the text is not JSON, and reading YAML requires the option parseYaml' }
  const yaml = attempt(() => parseYaml(text))
  if (!yaml.ok) return yaml
  const problem = findAliasExpansion(text, yaml.value)
  return problem === undefined
    ? { ok: true, value: withoutEmptyDocuments(yaml.value) }
    : { ok: false, message: problem }
}

function withoutEmptyDocuments(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((document) => document !== null && document !== undefined)
  return value ?? []
}

function attempt(read: () => unknown): ManifestTextResult {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}
