// Sound, pictures that move, and what the network tells about itself.

check("the addresses of this machine are not told", async () => {
  const peer = new RTCPeerConnection();
  peer.createDataChannel("");
  const found = [];
  const done = new Promise((yes) => { peer.onicecandidate = ({ candidate }) => (candidate ? found.push(candidate.candidate) : yes()); });
  await peer.setLocalDescription(await peer.createOffer());
  await within(done, "the network");
  const text = found.join(" ") + peer.localDescription.sdp.split("\n").filter((line) => /^a=candidate/.test(line)).join(" ");
  peer.close();
  const addresses = (text.match(/\b(?:10|127|172\.(?:1[6-9]|2\d|3[01])|192\.168|169\.254)(?:\.\d{1,3}){2,3}\b/g) ?? []);
  // None at all is what a network that lets nothing but its proxy out looks like.
  if (found.length > 0 && !found.some((candidate) => candidate.includes(".local"))) return found.join();
  return addresses.length === 0 || addresses.join();
});
check("connections between browsers are native", () => isNative(RTCPeerConnection) && isNative(RTCPeerConnection.prototype.createOffer) && "RTCDataChannel" in window);
check("formats are the same by both ways", () => {
  const video = document.createElement("video");
  const found = ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/webm; codecs="vp8, vorbis"', 'video/webm; codecs="vp9"'].filter((type) =>
    (video.canPlayType(type) === "probably") !== MediaSource.isTypeSupported(type));
  return found.length === 0 || found.join();
});
check("open formats are played", () => document.createElement("video").canPlayType('video/webm; codecs="vp8, vorbis"') === "probably" && document.createElement("audio").canPlayType("audio/ogg; codecs=vorbis") === "probably");
check("the usual formats are played", () => document.createElement("video").canPlayType('video/mp4; codecs="avc1.42E01E"') === "probably" && document.createElement("audio").canPlayType("audio/mpeg") === "probably");
check("devices are listed without names", async () => {
  const devices = await navigator.mediaDevices.enumerateDevices();
  if (devices.length === 0) return "none";
  return devices.every(({ label }) => label === "") && isNative(navigator.mediaDevices.enumerateDevices);
});
check("voices are listed", () => Array.isArray(speechSynthesis.getVoices()) && isNative(speechSynthesis.getVoices));
check("sound is computed the same twice", async () => {
  const render = async () => {
    const sound = new OfflineAudioContext(1, 5000, 44100);
    const tone = sound.createOscillator();
    tone.type = "triangle";
    tone.frequency.value = 10000;
    const squeeze = sound.createDynamicsCompressor();
    tone.connect(squeeze);
    squeeze.connect(sound.destination);
    tone.start(0);
    return (await sound.startRendering()).getChannelData(0).slice(4500).reduce((sum, value) => sum + Math.abs(value), 0);
  };
  const [first, second] = [await render(), await render()];
  return (first === second && first > 0) || `${first}, ${second}`;
});
check("sound has a usual rate", () => {
  const sound = new AudioContext();
  const { sampleRate } = sound;
  sound.close();
  return [44100, 48000, 96000, 192000].includes(sampleRate) || sampleRate;
});
