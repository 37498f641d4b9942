/** Reads the text of one or more YAML documents, several as an array. May throw. */
export type ParseYaml = (text: string) => unknown

export type ReadText =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly message: string }

/** Text as JSON or else, where a YAML parser is given, as YAML. Empty YAML documents are left out. */
export function readManifestText(text: string, parseYaml: ParseYaml | undefined): ReadText {
  const json = attempt(() => JSON.parse(text))
  if (json.success) return json
  // The engine's own words for broken JSON differ from runtime to runtime.
  if (parseYaml === undefined) return { success: false, message: 'not JSON, and no YAML parser is given' }
  const yaml = attempt(() => parseYaml(text))
  return yaml.success ? { success: true, value: withoutEmptyDocuments(yaml.value) } : yaml
}

function withoutEmptyDocuments(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((document) => document !== null && document !== undefined)
  return value ?? []
}

function attempt(read: () => unknown): ReadText {
  try {
    return { success: true, value: read() }
  } catch (error) {
    return { success: false, message: error instanceof Error ? error.message : String(error) }
  }
}
