// A state in a link: JSON, deflated, in the letters that an address may hold.

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())

export async function pack(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"))
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return "#run=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

// The state of a link, or null where it holds none that can be read.
export async function unpack(hash) {
  try {
    const text = atob(hash.replace(/^#run=/, "").replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(text, c => c.charCodeAt(0))
    const state = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))))
    return typeof state === "object" && (state.c === undefined || typeof state.c === "string") ? state : null
  } catch {
    return null
  }
}
