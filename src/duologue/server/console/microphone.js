/** The microphone: asking for it, which ones there are, and what to do where there is none. */

/** What the browser does to the sound. Without the first, the agent would hear and interrupt itself. */
const MENDED = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

/** The microphone cannot be had; the message says what to do. */
export class MicrophoneError extends Error {}

/**
 * Ask for a microphone: the chosen one, else any.
 * @param {string | null} deviceId
 * @returns {Promise<MediaStream>}
 */
export async function openMicrophone(deviceId) {
  if (!window.isSecureContext || !navigator.mediaDevices?.getUserMedia) throw new MicrophoneError(insecure());
  try {
    return await ask(deviceId);
  } catch (error) {
    throw new MicrophoneError(await told(error));
  }
}

async function ask(deviceId) {
  const any = () => navigator.mediaDevices.getUserMedia({ audio: MENDED });
  if (!deviceId) return any();
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { ...MENDED, deviceId: { exact: deviceId } } });
  } catch (error) {
    // The one that was chosen is not plugged in today.
    if (error.name === "OverconstrainedError" || error.name === "NotFoundError") return any();
    throw error;
  }
}

function insecure() {
  if (window.isSecureContext) return "This browser has no microphone for pages. Use a current Firefox, Chrome, Edge or Safari.";
  const here = `http://localhost:${location.port || "80"}`;
  return `A browser gives its microphone to https pages and to this machine's own. Open this page over https, or on the server's machine as ${here}.`;
}

async function told(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return (await refusedForGood())
        ? "This page may not use the microphone. Allow it in the browser's settings for this page, at the left of its address; then try again."
        : "The browser asked for the microphone and was not told yes. Try again, and choose Allow.";
    case "NotFoundError":
    case "OverconstrainedError":
      return "No microphone was found. Connect one, or switch it on in the system's settings; then try again.";
    case "NotReadableError":
    case "AbortError":
      return "The microphone cannot be opened. Close other programs that use it, or connect it again; then try again.";
    default:
      return `The microphone cannot be opened: ${error.message || error.name}`;
  }
}

async function refusedForGood() {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state === "denied";
  } catch {
    // Not every browser can be asked for this one.
    return true;
  }
}

/**
 * List what sound can come from and go to; names are known once a microphone was allowed.
 * @returns {Promise<{microphones: MediaDeviceInfo[], speakers: MediaDeviceInfo[]}>}
 */
export async function soundDevices() {
  const all = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  const of = (kind) => all.filter((device) => device.kind === kind && device.deviceId);
  const choosable = "setSinkId" in HTMLMediaElement.prototype;
  return { microphones: of("audioinput"), speakers: choosable ? of("audiooutput") : [] };
}
