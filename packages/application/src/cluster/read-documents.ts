import { collectManifestObjects, type ManifestObject } from '@kube-rules/types/internal/manifests/manifest-objects'
import { type ParsedDocument, parseDocumentsWithCache } from './parse-documents.js'
import type { TextSource } from './text-source.js'
import type { YamlDocumentCache } from './yaml-documents.js'

/** The parsed documents of sources, before their objects are validated. */
export interface ParsedSources {
  /** The sources for messages. */
  readonly names: readonly string[]
  readonly documents: readonly ParsedDocument[]
  /** The Kubernetes objects of all documents. */
  readonly manifestObjects: readonly ManifestObject[]
}

/**
 * Parses the documents of sources, and collects their objects.
 *
 * @throws InputError if a text is not well formed.
 */
export function parseSources(
  sources: readonly TextSource[],
  names: readonly string[] = sources.map(({ name }) => name),
  known?: YamlDocumentCache,
): ParsedSources {
  const documents = sources.flatMap((source) => parseDocumentsWithCache(source, known))
  return { names, documents, manifestObjects: collectManifestObjects(documents.map(({ value }) => value)) }
}
