package arena.sdk;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Whom the line to a server trusts: the certificates of a file; whom the system trusts where there is none. */
final class Trust {
    private static final int LOOK_MS = 2_000;

    private final String authority;
    private final TrustManager[] managers;

    /** {@code authority} is a PEM file, empty for none; ArenaException where no certificate can be read from it. */
    Trust(String authority) {
        this.authority = authority;
        try {
            managers = managers(authority);
        } catch (CertificateException error) {
            throw unreadable("it is no PEM file");
        } catch (GeneralSecurityException | IOException error) {
            throw unreadable(error.getMessage());
        }
    }

    /** As gRPC takes it. */
    TrustManager[] managers() {
        return managers;
    }

    /** What no waiting mends at {@code host:port}; empty where the server may just not be there yet. */
    String trouble(String host, int port) {
        boolean secure = !authority.isEmpty();
        try {
            shakeHands(host, port);
            return secure ? "" : speaksTls();
        } catch (SSLException error) {
            if (error.getCause() instanceof CertificateException mistrust) {
                return secure ? mistrusted(mistrust) : speaksTls();
            }
            boolean plain = String.valueOf(error.getMessage()).startsWith("Unsupported or unrecognized SSL message");
            return secure && plain ? "does not speak TLS: unset ARENA_CA" : "";
        } catch (IOException | GeneralSecurityException error) {
            return "";
        }
    }

    private void shakeHands(String host, int port) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers, null);
        try (SSLSocket line = (SSLSocket) context.getSocketFactory().createSocket()) {
            SSLParameters parameters = line.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the name is checked, too
            parameters.setApplicationProtocols(new String[] {"h2"});
            line.setSSLParameters(parameters);
            line.connect(new InetSocketAddress(host, port), LOOK_MS);
            line.setSoTimeout(LOOK_MS);
            line.startHandshake();
        }
    }

    private static String speaksTls() {
        return "speaks TLS: set ARENA_CA to the path of its ca.pem";
    }

    private String mistrusted(CertificateException why) {
        return "has a certificate that ARENA_CA (" + authority + ") does not vouch for (" + why.getMessage()
                + "): set it to the path of the server's ca.pem";
    }

    private ArenaException unreadable(String why) {
        return new ArenaException(
                "ARENA_CA: no certificate can be read from " + authority + " (" + why + "): name the server's ca.pem");
    }

    private static TrustManager[] managers(String authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (Certificate certificate : certificates(authority)) {
            trusted.setCertificateEntry("arena" + trusted.size(), certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authority.isEmpty() ? null : trusted);
        return factory.getTrustManagers();
    }

    private static Collection<? extends Certificate> certificates(String authority)
            throws IOException, CertificateException {
        if (authority.isEmpty()) {
            return List.of();
        }
        try (InputStream file = new FileInputStream(authority)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(file);
            if (found.isEmpty()) {
                throw new CertificateException("none");
            }
            return found;
        }
    }
}
